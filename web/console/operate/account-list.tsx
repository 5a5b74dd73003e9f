import { useInfiniteQuery } from '@tanstack/preact-query';
import { Heading } from '../ui/heading.tsx';
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
            <Accounts accounts={accounts} filter={filter} />
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

interface AccountsProps {
  readonly accounts: readonly Account[];
  readonly filter: string;
}

/** The accounts in the order of the list: first those whose subject begins with the filter, which an index finds at once. */
function Accounts({ accounts, filter }: AccountsProps) {
  const { text, rich } = useLanguage();
  if (filter === '')
    return (
      <ul className="cards" aria-label={text('operate.accounts')}>
        {accounts.map((account) => (
          <AccountItem key={account.id} account={account} level={2} />
        ))}
      </ul>
    );
  const begins = ({ subject }: Account) => subject.toLowerCase().startsWith(filter.toLowerCase());
  const matches = Map.groupBy(accounts, (account) => (begins(account) ? 'beginning' : 'containing'));
  return [...matches].map(([match, matching]) => (
    <section key={match} className="matches" aria-labelledby={`accounts-${match}`}>
      <Heading level={2} id={`accounts-${match}`}>
        {rich(`operate.accounts-${match}`, { filter: <q>{filter}</q> })}
      </Heading>
      <ul className="cards" aria-labelledby={`accounts-${match}`}>
        {matching.map((account) => (
          <AccountItem key={account.id} account={account} level={3} />
        ))}
      </ul>
    </section>
  ));
}

interface AccountItemProps {
  readonly account: Account;
  readonly level: 2 | 3;
}

function AccountItem({ account, level }: AccountItemProps) {
  const language = useLanguage();
  const { id, issuer } = account;
  return (
    <li className="card">
      <div className="card-title">
        <Heading level={level} id={headingId(account)} tabIndex={-1}>
          <a href={accountLink(id)}>
            <bdi>{nameOfAccount(language, account)}</bdi>
          </a>
        </Heading>
        <KindBadge {...account} /> <AccountBadge {...account} />
      </div>
      <p className="hint">
        {language.text('operate.account-facts', { id, issuer, keys: keysOf(language, account) })}
      </p>
    </li>
  );
}
