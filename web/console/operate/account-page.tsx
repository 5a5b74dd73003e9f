import { useQuery } from '@tanstack/preact-query';
import { Fact, Facts } from '../ui/facts.tsx';
import { useHost, useLanguage } from '../ui/host.ts';
import { Moment } from '../ui/moment.tsx';
import { QueryContent } from '../ui/query-content.tsx';
import { View } from '../ui/view.tsx';
import { type Account, AccountBadge, KindBadge, keysOf, nameOfAccount } from './account.tsx';
import { AccountActions } from './account-actions.tsx';
import { AccountActivity } from './account-activity.tsx';
import { AccountKeys } from './account-keys.tsx';
import { AccountPlan } from './account-plan.tsx';
import { AccountUsage } from './account-usage.tsx';
import { accountQuery } from './documents.ts';

/** One account: its owner, its keys, and the actions of an operator. */
export function AccountPage({ id }: { readonly id: number }) {
  const { request } = useHost();
  const { text } = useLanguage();
  const query = useQuery({
    queryKey: ['account', id],
    queryFn: ({ signal }) => request(accountQuery, { id }, { signal }),
  });
  return (
    <View
      title={text('operate.account', { id })}
      lead={<a href="#operate">{text('operate.all-accounts')}</a>}
    >
      <QueryContent query={query} what={text('operate.account-loaded')}>
        {({ account }) => (
          <>
            <AccountCard account={account} />
            {account.erasedAt === null && <AccountPlan account={account} />}
            {account.apiKeyCount > 0 && <AccountKeys account={account} />}
            {account.apiKeyCount > 0 && (
              <section className="account-part">
                <h2>{text('operate.account-usage')}</h2>
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

function AccountCard({ account }: { readonly account: Account }) {
  const language = useLanguage();
  const { text, rich } = language;
  return (
    <section className="card">
      <div className="card-title">
        <h2 id="account" tabIndex={-1}>
          <bdi>{nameOfAccount(language, account)}</bdi>
        </h2>
        <KindBadge {...account} /> <AccountBadge {...account} />
      </div>
      <p className="hint">{text('operate.issuer', { issuer: account.issuer })}</p>
      {account.blockReason !== null && (
        <p className="block-reason">
          {rich('operate.block-reason', { reason: <q>{account.blockReason}</q> })}
        </p>
      )}
      <AccountFacts account={account} />
      {account.erasedAt === null && <AccountActions account={account} />}
    </section>
  );
}

function AccountFacts({ account }: { readonly account: Account }) {
  const language = useLanguage();
  const { text } = language;
  const { createdAt, blockedAt, erasedAt } = account;
  return (
    <Facts>
      <Fact name={text('operate.account-created')}>
        <Moment at={createdAt} />
      </Fact>
      <Fact name={text('operate.account-keys')}>{keysOf(language, account)}</Fact>
      {blockedAt !== null && (
        <Fact name={text('operate.account-blocked')}>
          <Moment at={blockedAt} />
        </Fact>
      )}
      {erasedAt !== null && (
        <Fact name={text('operate.account-erased')}>
          <Moment at={erasedAt} />
        </Fact>
      )}
    </Facts>
  );
}
