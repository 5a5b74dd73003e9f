import { useState } from 'preact/compat';
import { useSession } from '../../sign-in/use-session.ts';

/** The person whose data is on the page; after the sign-in has expired, still the same. Undefined for nobody. */
export function usePerson(): string | undefined {
  const { session, expired } = useSession();
  const [person, setPerson] = useState<string>();
  const now = session ? session.person : expired ? person : undefined;
  if (now !== person) setPerson(now);
  return now;
}
