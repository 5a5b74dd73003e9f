import { Suspense } from 'preact/compat';
import { idIn } from '../keys/api-key.ts';
import { KeysView } from '../keys/keys-view.tsx';
import { useLanguage } from '../ui/host.ts';
import { later } from '../ui/later.tsx';
import { Loading } from '../ui/loading.tsx';
import { usePlace } from '../ui/use-place.ts';

// The list does not wait for it.
const KeyPage = later(async () => (await import('./key-page.tsx')).KeyPage, 'key');

/** The person's API keys, or the one whose id is in the address. */
export function KeysRoute() {
  const id = idIn(usePlace().item);
  const { text } = useLanguage();
  if (id === undefined) return <KeysView />;
  return (
    <Suspense fallback={<Loading what={text('common.this-key')} />}>
      <KeyPage key={id} keyId={id} />
    </Suspense>
  );
}
