import { useInfiniteQuery } from '@tanstack/preact-query';
import { type ApiKey, headingId, nameOf, stateOf } from '../keys/api-key.ts';
import { KeyBadge } from '../keys/key-badge.tsx';
import { useHost, useLanguage } from '../ui/host.ts';
import { QueryContent } from '../ui/query-content.tsx';
import { ShowMore } from '../ui/show-more.tsx';
import { useNow } from '../ui/use-now.ts';
import { type Account, accountKeyLink } from './account.tsx';
import { AccountKeyFacts } from './account-key-facts.tsx';
import { accountApiKeysQuery } from './documents.ts';

const pageSize = 25;

/** The API keys of an account, newest first. */
export function AccountKeys({ account }: { readonly account: Account }) {
  const { request } = useHost();
  const { text } = useLanguage();
  const { id } = account;
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
      <h2>{text('operate.keys-heading')}</h2>
      <QueryContent query={list} what={text('operate.keys-loaded')}>
        {({ pages }) => {
          const keys = pages.flatMap(({ accountApiKeys }) => accountApiKeys.edges.map(({ node }) => node));
          return (
            <>
              <ul className="cards" aria-label={text('operate.keys-list')}>
                {keys.map((key) => (
                  <AccountKey key={key.id} account={account} apiKey={key} />
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

function AccountKey({ account: { id }, apiKey }: { readonly account: Account; readonly apiKey: ApiKey }) {
  const language = useLanguage();
  const now = useNow();
  const state = stateOf(apiKey, now);
  return (
    <li className={`card key ${state}`}>
      <div className="card-title">
        <h3 id={headingId(apiKey)} tabIndex={-1}>
          <a href={accountKeyLink(id, apiKey.id)}>
            <bdi>{nameOf(language, apiKey)}</bdi>
          </a>
        </h3>
        <KeyBadge apiKey={apiKey} now={now} />
      </div>
      <p className="hint">
        {language.rich('operate.key-id', { id: apiKey.id, prefix: <code>{apiKey.keyPrefix}</code> })}
      </p>
      <AccountKeyFacts apiKey={apiKey} state={state} />
    </li>
  );
}
