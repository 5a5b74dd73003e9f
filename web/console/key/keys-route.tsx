import { Suspense } from 'preact/compat';
import { idIn } from '../keys/api-key.ts';
import { KeysView } from '../keys/keys-view.tsx';
import { later } from '../ui/later.tsx';
import { Loading } from '../ui/loading.tsx';
import { usePlace } from '../ui/use-place.ts';

// The list does not wait for it.
const KeyPage = later(async () => (await import('./key-page.tsx')).KeyPage);

/** The person's API keys, or the one whose id is in the address. */
export function KeysRoute() {
  const id = idIn(usePlace().item);
  if (id === undefined) return <KeysView />;
  return (
    <Suspense fallback={<Loading what="this key" />}>
      <KeyPage key={id} keyId={id} />
    </Suspense>
  );
}
