import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/compat';
import { request } from '../api/request.ts';
import { type ApiKey, nameOf, stateOf } from '../keys/api-key.ts';
import { KeyBadge } from '../keys/key-badge.tsx';
import { rateInWords } from '../keys/limits-in-words.ts';
import { MayDo } from '../keys/may-do.tsx';
import { QuotaLeft } from '../keys/quota-left.tsx';
import { Button } from '../ui/button.tsx';
import { Fact, Facts } from '../ui/facts.tsx';
import { notify } from '../ui/notice.tsx';
import { QueryContent } from '../ui/query-content.tsx';
import { useNow } from '../ui/use-now.ts';
import { View } from '../ui/view.tsx';
import { accountLink } from './account.tsx';
import { AccountKeyFacts } from './account-key-facts.tsx';
import { AccountUsage } from './account-usage.tsx';
import { accountApiKeyQuery, deactivateAccountApiKeyMutation } from './documents.ts';
import { ReasonDialog } from './reason-dialog.tsx';

interface AccountKeyPageProps {
  readonly accountId: number;
  readonly keyId: number;
}

/** One API key of an account, as an operator sees it. */
export function AccountKeyPage({ accountId, keyId }: AccountKeyPageProps) {
  const query = useQuery({
    queryKey: ['account-api-key', accountId, keyId],
    queryFn: ({ signal }) => request(accountApiKeyQuery, { id: accountId, keyId }, { signal }),
  });
  return (
    <View
      title={query.data ? nameOf(query.data.accountApiKey) : `API key ${keyId}`}
      back={<a href={accountLink(accountId)}>Account {accountId}</a>}
    >
      <QueryContent query={query} what="the API key">
        {({ accountApiKey }) => <Key apiKey={accountApiKey} />}
      </QueryContent>
    </View>
  );
}

function Key({ apiKey }: { readonly apiKey: ApiKey }) {
  const now = useNow();
  const state = stateOf(apiKey, now);
  return (
    <>
      <section className="card" aria-labelledby="key">
        <div className="card-title">
          <h2 id="key" tabIndex={-1}>
            ID {apiKey.id}, begins with <code>{apiKey.keyPrefix}</code>
          </h2>
          <KeyBadge apiKey={apiKey} now={now} />
        </div>
        {apiKey.description !== null && (
          <p className="description">
            <bdi>{apiKey.description}</bdi>
          </p>
        )}
        <AccountKeyFacts apiKey={apiKey} state={state} />
        {state !== 'deactivated' && <Deactivate apiKey={apiKey} />}
      </section>
      <section className="card account-plan" aria-labelledby="may-do">
        <h2 id="may-do">May do</h2>
        <Limits apiKey={apiKey} />
      </section>
      <section className="account-part" aria-labelledby="usage">
        <h2 id="usage">Usage</h2>
        <AccountUsage of={{ keyId: apiKey.id }} />
      </section>
    </>
  );
}

const Limits = ({
  apiKey: { permissions, allowedAddresses, rateLimit, quota },
}: {
  readonly apiKey: ApiKey;
}) => (
  <Facts>
    <Fact name="Permissions">
      <MayDo permissions={permissions} />
    </Fact>
    <Fact name="Addresses">
      {allowedAddresses.length === 0 ? 'Any address' : <code>{allowedAddresses.join(', ')}</code>}
    </Fact>
    <Fact name="Rate limit">{rateLimit === null ? 'None' : `At most ${rateInWords(rateLimit)}`}</Fact>
    <Fact name="Quota">{quota === null ? 'None' : <QuotaLeft quota={quota} />}</Fact>
  </Facts>
);

function Deactivate({ apiKey }: { readonly apiKey: ApiKey }) {
  const [open, setOpen] = useState(false);
  const name = nameOf(apiKey);
  return (
    <>
      <div className="card-actions">
        <Button look="quiet danger" onClick={() => setOpen(true)}>
          Deactivate
        </Button>
      </div>
      {open && (
        <ReasonDialog
          title={`Deactivate ${name}?`}
          submitLabel="Deactivate"
          danger
          fallbackFocus="key"
          onDismiss={() => setOpen(false)}
          act={async (reason) => {
            await request(deactivateAccountApiKeyMutation, { keyId: apiKey.id, reason });
          }}
          onDone={() => notify(`${name} was deactivated.`)}
        >
          The key stops working at once in every program that uses it. You cannot undo this.
        </ReasonDialog>
      )}
    </>
  );
}
