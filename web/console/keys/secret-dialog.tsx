import { useHost } from '../ui/host.ts';
import { CopyField } from './copy-field.tsx';
import { OnceDialog } from './once-dialog.tsx';

/** A secret that was just created. */
export interface NewSecret {
  /** What happened, in a sentence. */
  readonly title: string;
  readonly key: string;
}

interface SecretDialogProps {
  readonly secret: NewSecret;
  readonly onDone: () => void;
}

/** Shows the secret of an API key, only once. */
export function SecretDialog({ secret: { title, key }, onDone }: SecretDialogProps) {
  const { origin, settings } = useHost();
  // The key asks for its own record.
  const command = `curl -i ${origin}/api/v1/keys/self -H '${settings.apiKeyHeader}: ${key}'`;
  return (
    <OnceDialog title={title} onDone={onDone}>
      <CopyField label="Secret" text={key} main />
      <CopyField
        label="Command to test the key"
        text={command}
        hint="It returns 200 if the key is valid. Programs send the key in the same header."
      />
    </OnceDialog>
  );
}
