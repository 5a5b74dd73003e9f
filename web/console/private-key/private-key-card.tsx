import type { ResultOf } from 'gql.tada';
import { useState } from 'preact/compat';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Fact, Facts } from '../ui/facts.tsx';
import { useLanguage, useMayChange } from '../ui/host.ts';
import { Moment } from '../ui/moment.tsx';
import type { privateKeyStatusQuery } from './documents.ts';
import { RegisterPrivateKeyDialog } from './register-private-key-dialog.tsx';
import { RemovePrivateKeyDialog } from './remove-private-key-dialog.tsx';

type Status = ResultOf<typeof privateKeyStatusQuery>['privateKeyStatus'];

/** The status of the private key, with its actions. */
export function PrivateKeyCard({ status }: { readonly status: Status }) {
  const { text } = useLanguage();
  const canEdit = useMayChange();
  const [open, setOpen] = useState<'register' | 'remove'>();
  const close = () => setOpen(undefined);
  const register = () => setOpen('register');
  return (
    <>
      {status.hasKey ? (
        <Registered status={status} onReplace={register} onRemove={() => setOpen('remove')} />
      ) : (
        <div className="empty">
          <h2>{text('private-key.none')}</h2>
          <p>{text('private-key.register-why')}</p>
          {canEdit && (
            <Button look="primary" onClick={register}>
              {text('private-key.register')}
            </Button>
          )}
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

function Registered({ status: { fingerprint, createdAt, updatedAt }, onReplace, onRemove }: RegisteredProps) {
  const { text } = useLanguage();
  const canEdit = useMayChange();
  return (
    <div className="card">
      <div className="card-title">
        <h2>{text('private-key.yours')}</h2>
        <Badge tone="good">{text('private-key.is-registered')}</Badge>
      </div>
      <Facts>
        {fingerprint !== null && (
          <Fact name={text('private-key.fingerprint')}>
            <code>{fingerprint}</code>
            <p className="hint">{text('private-key.fingerprint-hint')}</p>
          </Fact>
        )}
        <Fact name={text('private-key.registered-at')}>{createdAt && <Moment at={createdAt} />}</Fact>
        <Fact name={text('private-key.replaced-at')}>
          {updatedAt && updatedAt !== createdAt ? (
            <Moment at={updatedAt} />
          ) : (
            text('private-key.never-replaced')
          )}
        </Fact>
      </Facts>
      {canEdit && (
        <div className="card-actions">
          <Button look="quiet" onClick={onReplace}>
            {text('private-key.replace')}
          </Button>
          <Button look="quiet danger" onClick={onRemove}>
            {text('private-key.remove')}
          </Button>
        </div>
      )}
    </div>
  );
}
