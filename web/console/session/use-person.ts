import { useState } from 'preact/compat';
import { useSession } from '../../sign-in/use-session.ts';

/** Whose things are on the page: who is signed in or, where the sign-in has ended, who was. Undefined for nobody. */
export function usePerson(): string | undefined {
  const { session, expired } = useSession();
  const [person, setPerson] = useState<string>();
  const now = session ? (session.subject ?? '') : expired ? person : undefined;
  if (now !== person) setPerson(now);
  return now;
}
