import { useRef } from 'preact/compat';
import { isStranger, mayChange } from '../../sign-in/account.ts';
import { useAccount } from '../../sign-in/use-account.ts';
import { useHost, useLanguage } from '../ui/host.ts';

/** Whether the person never belonged to the organisation: what is open stays, should they leave it meanwhile. */
export function useIsStranger(): boolean {
  const { organization } = useHost().useAccount();
  const account = useAccount();
  const wasMember = useRef(false);
  // If the page could not learn that, something may have been typed meanwhile.
  wasMember.current ||= (account.accounts !== undefined || account.failed) && !isStranger(account);
  return organization !== undefined && !wasMember.current && isStranger(account);
}

/** Says that the person may only look at what an organisation has, or not even that any more, and who can help. */
export function AccountBanner() {
  const { organization } = useHost().useAccount();
  const account = useAccount();
  const { text } = useLanguage();
  const isSaid = organization !== undefined && account.accounts !== undefined && !mayChange(account);
  const reason = isStranger(account) ? 'console.no-organization-why' : 'console.only-reads';
  // It is always there, because screen readers ignore a live region that is added with its text.
  return (
    <p className={isSaid ? 'warning' : 'visually-hidden'} role="status">
      {isSaid && text(reason, { organization })}
    </p>
  );
}
