import { useInfiniteQuery } from '@tanstack/preact-query';
import { useHost, useLanguage } from '../ui/host.ts';
import { QueryContent } from '../ui/query-content.tsx';
import { ShowMore } from '../ui/show-more.tsx';
import { type Account, AccountBadge, accountLink, KindBadge, keysOf, nameOfAccount } from './account.tsx';
import { accountsQuery } from './documents.ts';

const pageSize = 25;

/** Which accounts are listed. */
export interface AccountsWanted {
  /** A part of their subjects; empty for all accounts. */
  readonly filter: string;
  /** Undefined for accounts in any state. */
  readonly isBlocked: boolean | undefined;
}

const headingId = ({ id }: Account): string => `account-${id}`;

/** Accounts, newest first, a page at a time, because there may be a million. */
export function AccountList({ wanted: { filter, isBlocked } }: { readonly wanted: AccountsWanted }) {
  const { request } = useHost();
  const { text } = useLanguage();
  const list = useInfiniteQuery({
    queryKey: ['accounts', filter, isBlocked],
    queryFn: ({ pageParam, signal }) =>
      request(
        accountsQuery,
        { filter: filter || null, isBlocked: isBlocked ?? null, first: pageSize, after: pageParam },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ accounts: { pageInfo } }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
  });
  return (
    <QueryContent query={list} what={text('operate.accounts-loaded')}>
      {({ pages }) => {
        const accounts = pages.flatMap(({ accounts: { edges } }) => edges.map(({ node }) => node));
        if (accounts.length === 0) return <p className="empty">{text('operate.no-accounts')}</p>;
        return (
          <>
            <ul className="cards" aria-label={text('operate.accounts')}>
              {accounts.map((account) => (
                <AccountItem key={account.id} account={account} />
              ))}
            </ul>
            <ShowMore
              list={list}
              count={accounts.length}
              idOf={(index) => accounts[index] && headingId(accounts[index])}
            />
          </>
        );
      }}
    </QueryContent>
  );
}

function AccountItem({ account }: { readonly account: Account }) {
  const language = useLanguage();
  const { id, issuer } = account;
  return (
    <li className="card">
      <div className="card-title">
        <h2 id={headingId(account)} tabIndex={-1}>
          <a href={accountLink(id)}>
            <bdi>{nameOfAccount(language, account)}</bdi>
          </a>
        </h2>
        <KindBadge {...account} /> <AccountBadge {...account} />
      </div>
      <p className="hint">
        {language.text('operate.account-facts', { id, issuer, keys: keysOf(language, account) })}
      </p>
    </li>
  );
}
