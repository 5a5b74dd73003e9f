import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/compat';
import { type ApiKey, type ApiKeyState, nameOf, stateOf } from '../keys/api-key.ts';
import { KeyBadge } from '../keys/key-badge.tsx';
import { rateInWords } from '../keys/limits-in-words.ts';
import { MayDo } from '../keys/may-do.tsx';
import { QuotaLeft } from '../keys/quota-left.tsx';
import { Button } from '../ui/button.tsx';
import { Fact, Facts } from '../ui/facts.tsx';
import { useHost, useLanguage } from '../ui/host.ts';
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
import { trailLink } from './trail/trail-filter.ts';

interface AccountKeyPageProps {
  readonly accountId: number;
  readonly keyId: number;
}

/** One API key of an account, as an operator sees it. */
export function AccountKeyPage({ accountId, keyId }: AccountKeyPageProps) {
  const { request } = useHost();
  const language = useLanguage();
  const { text } = language;
  const query = useQuery({
    queryKey: ['account-api-key', accountId, keyId],
    queryFn: ({ signal }) => request(accountApiKeyQuery, { id: accountId, keyId }, { signal }),
  });
  return (
    <View
      title={query.data ? nameOf(language, query.data.accountApiKey) : text('operate.key', { id: keyId })}
      back={<a href={accountLink(accountId)}>{text('operate.key-account', { id: accountId })}</a>}
    >
      <QueryContent query={query} what={text('operate.key-loaded')}>
        {({ accountApiKey }) => <Key apiKey={accountApiKey} />}
      </QueryContent>
    </View>
  );
}

function Key({ apiKey }: { readonly apiKey: ApiKey }) {
  const { text, rich } = useLanguage();
  const now = useNow();
  const state = stateOf(apiKey, now);
  return (
    <>
      <section className="card" aria-labelledby="key">
        <div className="card-title">
          <h2 id="key" tabIndex={-1}>
            {rich('operate.key-id', { id: apiKey.id, prefix: <code>{apiKey.keyPrefix}</code> })}
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
        <h2 id="rights">{text('operate.key-rights')}</h2>
        <Limits apiKey={apiKey} />
      </section>
      <section className="account-part" aria-labelledby="usage">
        <h2 id="usage">{text('operate.key-usage')}</h2>
        <AccountUsage of={{ keyId: apiKey.id }} />
      </section>
      <section className="account-part" aria-labelledby="activity">
        <h2 id="activity">{text('operate.activity')}</h2>
        <p>
          <a href={trailLink({ key: apiKey.id })}>{text('operate.trail-of-key')}</a>
        </p>
      </section>
    </>
  );
}

function Limits({
  apiKey: { permissions, allowedAddresses, rateLimit, quota },
}: {
  readonly apiKey: ApiKey;
}) {
  const language = useLanguage();
  const { text } = language;
  return (
    <Facts>
      <Fact name={text('operate.key-permissions')}>
        <MayDo permissions={permissions} />
      </Fact>
      <Fact name={text('operate.key-addresses')}>
        {allowedAddresses.length === 0 ? (
          text('operate.key-any-address')
        ) : (
          <code>{allowedAddresses.join(', ')}</code>
        )}
      </Fact>
      <Fact name={text('operate.key-rate-limit')}>
        {rateLimit === null
          ? text('operate.key-no-rate-limit')
          : text('operate.key-rate', { rate: rateInWords(language, rateLimit) })}
      </Fact>
      <Fact name={text('operate.key-quota')}>
        {quota === null ? text('operate.key-no-quota') : <QuotaLeft quota={quota} />}
      </Fact>
    </Facts>
  );
}

/** What an operator can do with a key. */
const acts = {
  pause: { mutation: pauseAccountApiKeyMutation, danger: false },
  resume: { mutation: resumeAccountApiKeyMutation, danger: false },
  deactivate: { mutation: deactivateAccountApiKeyMutation, danger: true },
} as const;

/** What an operator can do with a key now: also pause one that its owner could resume. */
function actsOn({ pausedBy }: ApiKey, state: ApiKeyState): (keyof typeof acts)[] {
  if (state === 'active') return ['pause', 'deactivate'];
  if (state !== 'paused') return ['deactivate'];
  return pausedBy === 'OPERATOR' ? ['resume', 'deactivate'] : ['resume', 'pause', 'deactivate'];
}

function Actions({ apiKey, state }: { readonly apiKey: ApiKey; readonly state: ApiKeyState }) {
  const { request, notify } = useHost();
  const language = useLanguage();
  const { text } = language;
  const [open, setOpen] = useState<keyof typeof acts>();
  const name = nameOf(language, apiKey);
  const asked = open && { ...acts[open], act: open };
  return (
    <>
      <div className="card-actions">
        {actsOn(apiKey, state).map((act) => (
          <Button key={act} look={acts[act].danger ? 'quiet danger' : 'quiet'} onClick={() => setOpen(act)}>
            {text(`operate.${act}`)}
          </Button>
        ))}
      </div>
      {asked && (
        <ReasonDialog
          title={text(`operate.${asked.act}-title`, { name })}
          submitLabel={text(`operate.${asked.act}`)}
          danger={asked.danger}
          fallbackFocus="key"
          onDismiss={() => setOpen(undefined)}
          act={async (reason) => {
            await request(asked.mutation, { keyId: apiKey.id, reason });
          }}
          onDone={() => notify(text(`operate.${asked.act}-done`, { name }))}
        >
          {text(`operate.${asked.act}-effect`)}
        </ReasonDialog>
      )}
    </>
  );
}
