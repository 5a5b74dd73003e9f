import { useInfiniteQuery } from '@tanstack/preact-query';
import { useState } from 'preact/compat';
import { request } from '../api/request.ts';
import { type ApiKey, headingId, nameOf, stateOf } from '../keys/api-key.ts';
import { KeyBadge } from '../keys/key-badge.tsx';
import { Button } from '../ui/button.tsx';
import { notify } from '../ui/notice.tsx';
import { QueryContent } from '../ui/query-content.tsx';
import { ShowMore } from '../ui/show-more.tsx';
import { useNow } from '../ui/use-now.ts';
import type { Account } from './account.tsx';
import { AccountKeyFacts } from './account-key-facts.tsx';
import { AccountUsage } from './account-usage.tsx';
import { accountApiKeysQuery, deactivateAccountApiKeyMutation } from './documents.ts';
import { ReasonDialog } from './reason-dialog.tsx';

const pageSize = 25;

/** The API keys of an account, newest first. */
export function AccountKeys({ account: { id } }: { readonly account: Account }) {
  const list = useInfiniteQuery({
    queryKey: ['account-api-keys', id],
    queryFn: ({ pageParam, signal }) =>
      request(accountApiKeysQuery, { id, first: pageSize, after: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ accountApiKeys: { pageInfo } }) =>
      pageInfo.hasNextPage ? pageInfo.endCursor : null,
  });
  return (
    <section className="account-keys">
      <h2>API keys</h2>
      <QueryContent query={list} what="API keys">
        {({ pages }) => {
          const keys = pages.flatMap(({ accountApiKeys }) => accountApiKeys.edges.map(({ node }) => node));
          return (
            <>
              <ul className="cards" aria-label="API keys">
                {keys.map((key) => (
                  <AccountKey key={key.id} apiKey={key} />
                ))}
              </ul>
              <ShowMore
                list={list}
                count={keys.length}
                idOf={(index) => keys[index] && headingId(keys[index])}
              />
            </>
          );
        }}
      </QueryContent>
    </section>
  );
}

function AccountKey({ apiKey }: { readonly apiKey: ApiKey }) {
  const [open, setOpen] = useState(false);
  const [showsUsage, setShowsUsage] = useState(false);
  const now = useNow();
  const state = stateOf(apiKey, now);
  const name = nameOf(apiKey);
  return (
    <li className={`card key ${state}`}>
      <div className="card-title">
        <h3 id={headingId(apiKey)} tabIndex={-1}>
          <bdi>{name}</bdi>
        </h3>
        <KeyBadge apiKey={apiKey} now={now} />
      </div>
      <p className="hint">
        ID {apiKey.id}, begins with <code>{apiKey.keyPrefix}</code>
      </p>
      <AccountKeyFacts apiKey={apiKey} state={state} />
      <div className="card-actions">
        <Button look="quiet" aria-expanded={showsUsage} onClick={() => setShowsUsage(!showsUsage)}>
          Usage<span className="visually-hidden"> of {name}</span>
        </Button>
        {state !== 'deactivated' && (
          <Button look="quiet danger" onClick={() => setOpen(true)}>
            Deactivate<span className="visually-hidden"> {name}</span>
          </Button>
        )}
      </div>
      {showsUsage && (
        <div className="account-part">
          <AccountUsage of={{ keyId: apiKey.id }} />
        </div>
      )}
      {open && (
        <ReasonDialog
          title={`Deactivate ${name}?`}
          submitLabel="Deactivate"
          danger
          fallbackFocus={headingId(apiKey)}
          onDismiss={() => setOpen(false)}
          act={async (reason) => {
            await request(deactivateAccountApiKeyMutation, { keyId: apiKey.id, reason });
          }}
          onDone={() => notify(`${name} was deactivated.`)}
        >
          The key stops working at once in every program that uses it. You cannot undo this.
        </ReasonDialog>
      )}
    </li>
  );
}
