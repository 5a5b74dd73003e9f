import { useState } from 'preact/compat';
import { Button } from '../../ui/button.tsx';
import { useLanguage } from '../../ui/host.ts';
import { ChangeEndpointDialog } from './change-endpoint-dialog.tsx';
import type { WebhookEndpoint } from './endpoint-card.tsx';
import { RemoveEndpointDialog } from './remove-endpoint-dialog.tsx';
import { RotateSigningSecretDialog } from './rotate-signing-secret-dialog.tsx';
import { type NewSigningSecret, SigningSecretDialog } from './signing-secret-dialog.tsx';

/** What an operator can do with an endpoint that an operator added. */
export function EndpointActions({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { text } = useLanguage();
  const [open, setOpen] = useState<'change' | 'rotate' | 'remove'>();
  const [created, setCreated] = useState<NewSigningSecret>();
  const close = () => setOpen(undefined);
  return (
    <>
      <Button look="quiet" onClick={() => setOpen('change')}>
        {text('operate.change-endpoint')}
      </Button>
      <Button look="quiet" onClick={() => setOpen('rotate')}>
        {text('operate.rotate-secret')}
      </Button>
      <Button look="quiet danger" onClick={() => setOpen('remove')}>
        {text('operate.remove-endpoint')}
      </Button>
      {open === 'change' && <ChangeEndpointDialog endpoint={endpoint} onDismiss={close} />}
      {open === 'rotate' && (
        <RotateSigningSecretDialog endpointId={endpoint.id} onDismiss={close} onSecret={setCreated} />
      )}
      {open === 'remove' && <RemoveEndpointDialog endpoint={endpoint} onDismiss={close} />}
      {created && <SigningSecretDialog created={created} onDone={() => setCreated(undefined)} />}
    </>
  );
}
