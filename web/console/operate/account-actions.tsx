import { useState } from 'preact/compat';
import { Button } from '../ui/button.tsx';
import { useHost, useLanguage } from '../ui/host.ts';
import { type Account, nameOfAccount } from './account.tsx';
import { blockAccountMutation, unblockAccountMutation } from './documents.ts';
import { EraseAccountDialog } from './erase-account-dialog.tsx';
import { ReasonDialog } from './reason-dialog.tsx';

/** The actions of an operator on an account. */
export function AccountActions({ account }: { readonly account: Account }) {
  const { text } = useLanguage();
  const [open, setOpen] = useState<'block' | 'erase'>();
  const close = () => setOpen(undefined);
  return (
    <>
      <div className="card-actions">
        <Button look={account.blockedAt === null ? 'quiet danger' : 'quiet'} onClick={() => setOpen('block')}>
          {text(account.blockedAt === null ? 'operate.block' : 'operate.unblock')}
        </Button>
        <Button look="quiet danger" onClick={() => setOpen('erase')}>
          {text('operate.erase')}
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
  const language = useLanguage();
  const { text } = language;
  const [isBlocked] = useState(account.blockedAt !== null);
  const name = nameOfAccount(language, account);
  return (
    <ReasonDialog
      title={text(isBlocked ? 'operate.unblock-title' : 'operate.block-title', { name })}
      submitLabel={text(isBlocked ? 'operate.unblock' : 'operate.block')}
      danger={!isBlocked}
      fallbackFocus="account"
      onDismiss={onDismiss}
      act={async (reason) => {
        await request(isBlocked ? unblockAccountMutation : blockAccountMutation, { id: account.id, reason });
      }}
      onDone={() => notify(text(isBlocked ? 'operate.unblocked' : 'operate.blocked', { name }))}
    >
      {text(isBlocked ? 'operate.unblock-effect' : 'operate.block-effect')}
    </ReasonDialog>
  );
}
