import type { MouseEvent, ReactNode } from 'preact/compat';
import { pageLanguage } from '../shared/page-language.ts';
import { chooseAccount, type MyAccount } from './account.ts';
import { addressFor } from './address.ts';
import type { Session } from './session.ts';
import { useAccount } from './use-account.ts';

interface AccountLinkProps {
  /** The id of the organisation; undefined: the person themself. */
  readonly organization: string | undefined;
  readonly isCurrent?: boolean;
  readonly children: ReactNode;
}

/** Whether a click should open another tab or window, as the browser does it. */
const isElsewhere = ({ button, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent<HTMLElement>): boolean =>
  button !== 0 || ctrlKey || metaKey || shiftKey || altKey;

/** A link that uses the page for another account. */
export const AccountLink = ({ organization, isCurrent = false, children }: AccountLinkProps) => (
  <a
    href={addressFor(organization)}
    aria-current={isCurrent ? 'true' : undefined}
    onClick={(event) => {
      if (isElsewhere(event)) return;
      event.preventDefault();
      event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover();
      chooseAccount(organization);
    }}
  >
    {children}
  </a>
);

/** What an organisation is called: its name, or its id. */
const nameOf = ({ name, organization_id }: MyAccount): string => name ?? organization_id ?? '';

/** The accounts that a person may use the page for: a switch. Nothing if there is only their own. */
export function AccountChoice({ session }: { readonly session: Session }) {
  const { organization, accounts = [] } = useAccount();
  const { text, compare } = pageLanguage();
  const others = accounts
    .filter(({ organization_id: id }) => id !== null)
    .toSorted((one, other) => compare(nameOf(one), nameOf(other)));
  if (others.length === 0 && organization === undefined) return null;
  return (
    <nav className="accounts" aria-label={text('sign-in.accounts')}>
      <p>{text('sign-in.use-for')}</p>
      <ul>
        <li>
          <AccountLink organization={undefined} isCurrent={organization === undefined}>
            <bdi>{session.name}</bdi>
            <small>{text('sign-in.role-own')}</small>
          </AccountLink>
        </li>
        {others.map((account) => (
          <OrganizationItem key={account.organization_id} account={account} chosen={organization} />
        ))}
      </ul>
    </nav>
  );
}

interface OrganizationItemProps {
  readonly account: MyAccount;
  readonly chosen: string | undefined;
}

function OrganizationItem({ account, chosen }: OrganizationItemProps) {
  const { text } = pageLanguage();
  const id = account.organization_id ?? undefined;
  return (
    <li>
      <AccountLink organization={id} isCurrent={id === chosen}>
        <bdi>{nameOf(account)}</bdi>
        <small>{text(`sign-in.role-${account.role}`)}</small>
      </AccountLink>
    </li>
  );
}
