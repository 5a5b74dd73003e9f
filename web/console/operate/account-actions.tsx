import { useState } from 'preact/compat';
import { Button } from '../ui/button.tsx';
import { useHost } from '../ui/host.ts';
import { type Account, nameOfAccount } from './account.tsx';
import { blockAccountMutation, unblockAccountMutation } from './documents.ts';
import { EraseAccountDialog } from './erase-account-dialog.tsx';
import { ReasonDialog } from './reason-dialog.tsx';

/** The actions of an operator on an account. */
export function AccountActions({ account }: { readonly account: Account }) {
  const [open, setOpen] = useState<'block' | 'erase'>();
  const close = () => setOpen(undefined);
  return (
    <>
      <div className="card-actions">
        <Button look={account.blockedAt === null ? 'quiet danger' : 'quiet'} onClick={() => setOpen('block')}>
          {account.blockedAt === null ? 'Block' : 'Unblock'}
        </Button>
        <Button look="quiet danger" onClick={() => setOpen('erase')}>
          Erase
        </Button>
      </div>
      {open === 'block' && <BlockDialog account={account} onDismiss={close} />}
      {open === 'erase' && <EraseAccountDialog account={account} onDismiss={close} />}
    </>
  );
}

interface BlockDialogProps {
  readonly account: Account;
  readonly onDismiss: () => void;
}

/** Blocks or unblocks an account. The choice is made when the dialog opens. */
function BlockDialog({ account, onDismiss }: BlockDialogProps) {
  const { request, notify } = useHost();
  const [isBlocked] = useState(account.blockedAt !== null);
  const name = nameOfAccount(account);
  return (
    <ReasonDialog
      title={`${isBlocked ? 'Unblock' : 'Block'} ${name}?`}
      submitLabel={isBlocked ? 'Unblock' : 'Block'}
      danger={!isBlocked}
      fallbackFocus="account"
      onDismiss={onDismiss}
      act={async (reason) => {
        await request(isBlocked ? unblockAccountMutation : blockAccountMutation, { id: account.id, reason });
      }}
      onDone={() => notify(isBlocked ? `${name} was unblocked.` : `${name} was blocked.`)}
    >
      {isBlocked
        ? 'Their API keys and access tokens work again.'
        : 'Their API keys and access tokens stop working at once. No data is deleted, and you can unblock the account later.'}
    </ReasonDialog>
  );
}
