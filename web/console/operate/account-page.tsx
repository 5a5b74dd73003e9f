import { useQuery } from '@tanstack/preact-query';
import { Fact, Facts } from '../ui/facts.tsx';
import { useHost } from '../ui/host.ts';
import { Moment } from '../ui/moment.tsx';
import { QueryContent } from '../ui/query-content.tsx';
import { View } from '../ui/view.tsx';
import { type Account, AccountBadge, keysOf, nameOfAccount } from './account.tsx';
import { AccountActions } from './account-actions.tsx';
import { AccountActivity } from './account-activity.tsx';
import { AccountKeys } from './account-keys.tsx';
import { AccountPlan } from './account-plan.tsx';
import { AccountUsage } from './account-usage.tsx';
import { accountQuery } from './documents.ts';

/** One account: its owner, its keys, and the actions of an operator. */
export function AccountPage({ id }: { readonly id: number }) {
  const { request } = useHost();
  const query = useQuery({
    queryKey: ['account', id],
    queryFn: ({ signal }) => request(accountQuery, { id }, { signal }),
  });
  return (
    <View title={`Account ${id}`} lead={<a href="#operate">All accounts</a>}>
      <QueryContent query={query} what="the account">
        {({ account }) => (
          <>
            <AccountCard account={account} />
            {account.erasedAt === null && <AccountPlan account={account} />}
            {account.apiKeyCount > 0 && <AccountKeys account={account} />}
            {account.apiKeyCount > 0 && (
              <section className="account-part">
                <h2>Usage</h2>
                <AccountUsage of={{ accountId: account.id }} />
              </section>
            )}
            <AccountActivity account={account} />
          </>
        )}
      </QueryContent>
    </View>
  );
}

const AccountCard = ({ account }: { readonly account: Account }) => (
  <section className="card">
    <div className="card-title">
      <h2 id="account" tabIndex={-1}>
        <bdi>{nameOfAccount(account)}</bdi>
      </h2>
      <AccountBadge {...account} />
    </div>
    <p className="hint">Issuer: {account.issuer}</p>
    {account.blockReason !== null && (
      <p className="block-reason">
        Blocked because: <q>{account.blockReason}</q>
      </p>
    )}
    <Facts>
      <Fact name="Created">
        <Moment at={account.createdAt} />
      </Fact>
      <Fact name="API keys">{keysOf(account)}</Fact>
      {account.blockedAt !== null && (
        <Fact name="Blocked">
          <Moment at={account.blockedAt} />
        </Fact>
      )}
      {account.erasedAt !== null && (
        <Fact name="Erased">
          <Moment at={account.erasedAt} />
        </Fact>
      )}
    </Facts>
    {account.erasedAt === null && <AccountActions account={account} />}
  </section>
);
