import type { ResultOf } from 'gql.tada';
import { useState } from 'preact/compat';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Fact, Facts } from '../ui/facts.tsx';
import { Moment } from '../ui/moment.tsx';
import type { privateKeyStatusQuery } from './documents.ts';
import { RegisterPrivateKeyDialog } from './register-private-key-dialog.tsx';
import { RemovePrivateKeyDialog } from './remove-private-key-dialog.tsx';

type Status = ResultOf<typeof privateKeyStatusQuery>['privateKeyStatus'];

/** The status of the private key, with its actions. */
export function PrivateKeyCard({ status }: { readonly status: Status }) {
  const [open, setOpen] = useState<'register' | 'remove'>();
  const close = () => setOpen(undefined);
  const register = () => setOpen('register');
  return (
    <>
      {status.hasKey ? (
        <Registered status={status} onReplace={register} onRemove={() => setOpen('remove')} />
      ) : (
        <div className="empty">
          <h2>No private key</h2>
          <p>Register a private key so that automation can sign for you.</p>
          <Button look="primary" onClick={register}>
            Register a private key
          </Button>
        </div>
      )}
      {open === 'register' && <RegisterPrivateKeyDialog replaces={status.hasKey} onDismiss={close} />}
      {open === 'remove' && <RemovePrivateKeyDialog onDismiss={close} />}
    </>
  );
}

interface RegisteredProps {
  readonly status: Status;
  readonly onReplace: () => void;
  readonly onRemove: () => void;
}

const Registered = ({
  status: { fingerprint, createdAt, updatedAt },
  onReplace,
  onRemove,
}: RegisteredProps) => (
  <div className="card">
    <div className="card-title">
      <h2>Your private key</h2>
      <Badge tone="good">Registered</Badge>
    </div>
    <Facts>
      {fingerprint !== null && (
        <Fact name="Fingerprint">
          <code>{fingerprint}</code>
          <p className="hint">The SHA-256 JWK thumbprint (RFC 7638) of its public key.</p>
        </Fact>
      )}
      <Fact name="Registered">{createdAt && <Moment at={createdAt} />}</Fact>
      <Fact name="Last replaced">
        {updatedAt && updatedAt !== createdAt ? <Moment at={updatedAt} /> : 'Never'}
      </Fact>
    </Facts>
    <div className="card-actions">
      <Button look="quiet" onClick={onReplace}>
        Replace
      </Button>
      <Button look="quiet danger" onClick={onRemove}>
        Remove
      </Button>
    </div>
  </div>
);
