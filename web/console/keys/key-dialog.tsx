import type { ApiKey } from './api-key.ts';
import { DeactivateKeyDialog } from './deactivate-key-dialog.tsx';
import { EditKeyDialog } from './edit-key-dialog.tsx';
import { EndSecretDialog } from './end-secret-dialog.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';
import type { NewSecret } from './secret-dialog.tsx';

/** What a person has asked to do with a key. */
export type KeyRequest =
  | { readonly act: 'edit' | 'deactivate'; readonly apiKey: ApiKey }
  | { readonly act: 'rotate'; readonly apiKey: ApiKey; readonly isLeaked?: boolean }
  | { readonly act: 'end-secret'; readonly apiKey: ApiKey; readonly prefix: string };

interface KeyDialogProps {
  readonly asked: KeyRequest;
  readonly onSecret: (secret: NewSecret) => void;
  readonly onDismiss: () => void;
}

/** The dialog for what a person has asked to do with a key. */
export function KeyDialog({ asked, onSecret, onDismiss }: KeyDialogProps) {
  switch (asked.act) {
    case 'edit':
      return <EditKeyDialog {...asked} onDismiss={onDismiss} />;
    case 'deactivate':
      return <DeactivateKeyDialog {...asked} onDismiss={onDismiss} />;
    case 'rotate':
      return <RotateKeyDialog {...asked} onSecret={onSecret} onDismiss={onDismiss} />;
    case 'end-secret':
      return <EndSecretDialog {...asked} onDismiss={onDismiss} />;
  }
}
