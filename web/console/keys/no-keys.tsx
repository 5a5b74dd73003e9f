import { Button } from '../ui/button.tsx';
import type { KeyFilter } from './use-api-keys.ts';

/** Stands where there is no key to list, with the next step. */
export function NoKeys({ filter, onCreate }: { readonly filter: KeyFilter; readonly onCreate: () => void }) {
  if (filter !== 'all') return <p className="empty">You have no {filter} API keys.</p>;
  return (
    <div className="empty">
      <h2>No API keys yet</h2>
      <p>Create one for the program that is to act for you. Its secret is shown once.</p>
      <Button onClick={onCreate}>Create your first API key</Button>
    </div>
  );
}
