import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/compat';
import { type ApiKey, type ApiKeyState, nameOf, stateOf } from '../keys/api-key.ts';
import { KeyBadge } from '../keys/key-badge.tsx';
import { rateInWords } from '../keys/limits-in-words.ts';
import { MayDo } from '../keys/may-do.tsx';
import { QuotaLeft } from '../keys/quota-left.tsx';
import { Button } from '../ui/button.tsx';
import { Fact, Facts } from '../ui/facts.tsx';
import { useHost } from '../ui/host.ts';
import { QueryContent } from '../ui/query-content.tsx';
import { useNow } from '../ui/use-now.ts';
import { View } from '../ui/view.tsx';
import { accountLink } from './account.tsx';
import { AccountKeyFacts } from './account-key-facts.tsx';
import { AccountUsage } from './account-usage.tsx';
import {
  accountApiKeyQuery,
  deactivateAccountApiKeyMutation,
  pauseAccountApiKeyMutation,
  resumeAccountApiKeyMutation,
} from './documents.ts';
import { ReasonDialog } from './reason-dialog.tsx';

interface AccountKeyPageProps {
  readonly accountId: number;
  readonly keyId: number;
}

/** One API key of an account, as an operator sees it. */
export function AccountKeyPage({ accountId, keyId }: AccountKeyPageProps) {
  const { request } = useHost();
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
        {state !== 'deactivated' && <Actions apiKey={apiKey} state={state} />}
      </section>
      <section className="card account-plan" aria-labelledby="rights">
        <h2 id="rights">Permissions and limits</h2>
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

/** What an operator can do with a key. */
const acts = {
  pause: {
    label: 'Pause',
    done: 'is paused',
    mutation: pauseAccountApiKeyMutation,
    danger: false,
    effect: 'The key is refused in every program that uses it. Only an operator can resume it.',
  },
  resume: {
    label: 'Resume',
    done: 'was resumed',
    mutation: resumeAccountApiKeyMutation,
    danger: false,
    effect: 'The key works again, unless its account is blocked.',
  },
  deactivate: {
    label: 'Deactivate',
    done: 'was deactivated',
    mutation: deactivateAccountApiKeyMutation,
    danger: true,
    effect: 'The key stops working at once in every program that uses it. You cannot undo this.',
  },
} as const;

/** What an operator can do with a key now: also pause one that its owner could resume. */
function actsOn({ pausedBy }: ApiKey, state: ApiKeyState): (keyof typeof acts)[] {
  if (state === 'active') return ['pause', 'deactivate'];
  if (state !== 'paused') return ['deactivate'];
  return pausedBy === 'OPERATOR' ? ['resume', 'deactivate'] : ['resume', 'pause', 'deactivate'];
}

function Actions({ apiKey, state }: { readonly apiKey: ApiKey; readonly state: ApiKeyState }) {
  const { request, notify } = useHost();
  const [open, setOpen] = useState<keyof typeof acts>();
  const name = nameOf(apiKey);
  const asked = open && acts[open];
  return (
    <>
      <div className="card-actions">
        {actsOn(apiKey, state).map((act) => (
          <Button key={act} look={acts[act].danger ? 'quiet danger' : 'quiet'} onClick={() => setOpen(act)}>
            {acts[act].label}
          </Button>
        ))}
      </div>
      {asked && (
        <ReasonDialog
          title={`${asked.label} ${name}?`}
          submitLabel={asked.label}
          danger={asked.danger}
          fallbackFocus="key"
          onDismiss={() => setOpen(undefined)}
          act={async (reason) => {
            await request(asked.mutation, { keyId: apiKey.id, reason });
          }}
          onDone={() => notify(`${name} ${asked.done}.`)}
        >
          {asked.effect}
        </ReasonDialog>
      )}
    </>
  );
}
