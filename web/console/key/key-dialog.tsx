import { type ApiKey, type ApiKeyState, canChange } from '../keys/api-key.ts';
import type { NewSecret } from '../keys/secret-dialog.tsx';
import { DeactivateKeyDialog } from './deactivate-key-dialog.tsx';
import { EndSecretDialog } from './end-secret-dialog.tsx';
import { PauseKeyDialog } from './pause-key-dialog.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';

/** What a person has asked to do with a key. */
export type KeyRequest =
  | { readonly act: 'rotate'; readonly isLeaked: boolean }
  | { readonly act: 'deactivate' | 'pause' }
  | { readonly act: 'end-secret'; readonly prefix: string };

/** What the address asks to do, if the state of the key allows it. */
export function requestIn(
  params: URLSearchParams,
  { secrets }: ApiKey,
  state: ApiKeyState,
): KeyRequest | undefined {
  const act = params.get('do');
  if (act === 'deactivate' && state !== 'deactivated') return { act };
  if (act === 'pause' && state === 'active') return { act };
  if (!canChange(state)) return undefined;
  if (act === 'rotate' || act === 'rotate-leaked') return { act: 'rotate', isLeaked: act !== 'rotate' };
  const ending = secrets.find(({ prefix, endsAt }) => endsAt !== null && prefix === params.get('secret'));
  return act === 'end-secret' && ending?.prefix ? { act, prefix: ending.prefix } : undefined;
}

interface KeyDialogProps {
  readonly asked: KeyRequest;
  readonly apiKey: ApiKey;
  readonly onSecret: (secret: NewSecret) => void;
  readonly onDismiss: () => void;
}

/** The dialog for what a person has asked to do with a key. */
export function KeyDialog({ asked, apiKey, onSecret, onDismiss }: KeyDialogProps) {
  // The key may be fetched again meanwhile, and its dialog must stay.
  switch (asked.act) {
    case 'deactivate':
      return <DeactivateKeyDialog apiKey={apiKey} onDismiss={onDismiss} />;
    case 'pause':
      return <PauseKeyDialog apiKey={apiKey} onDismiss={onDismiss} />;
    case 'rotate':
      return (
        <RotateKeyDialog
          apiKey={apiKey}
          endsAtOnce={asked.isLeaked || apiKey.pausedAt !== null}
          onSecret={onSecret}
          onDismiss={onDismiss}
        />
      );
    case 'end-secret':
      return <EndSecretDialog apiKey={apiKey} prefix={asked.prefix} onDismiss={onDismiss} />;
  }
}
