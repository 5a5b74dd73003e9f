import { useHost, useLanguage } from '../ui/host.ts';
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
  const { serviceUrl, settings } = useHost();
  const { text, rich } = useLanguage();
  // The key asks for its own record.
  const command = `curl -i ${serviceUrl}/api/v1/keys/self -H '${settings.apiKeyHeader}: ${key}'`;
  return (
    <OnceDialog title={title} onDone={onDone}>
      <CopyField label={text('keys.secret')} text={key} main />
      <CopyField
        label={text('keys.command')}
        text={command}
        hint={text('keys.command-hint')}
        copyLabel={rich('keys.copy-command', {
          hidden: (content) => <span className="visually-hidden">{content}</span>,
        })}
      />
    </OnceDialog>
  );
}
