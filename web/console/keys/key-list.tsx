import { QueryContent } from '../ui/query-content.tsx';
import { ShowMore } from '../ui/show-more.tsx';
import { headingId } from './api-key.ts';
import { KeyItem } from './key-item.tsx';
import { NoKeys } from './no-keys.tsx';
import type { NewSecret } from './secret-dialog.tsx';
import { type KeyFilter, useApiKeys } from './use-api-keys.ts';

interface KeyListProps {
  readonly filter: KeyFilter;
  readonly onCreate: () => void;
  readonly onSecret: (secret: NewSecret) => void;
}

/** The keys that the filter lets through, and what to do with each. */
export function KeyList({ filter, onCreate, onSecret }: KeyListProps) {
  const list = useApiKeys(filter);
  return (
    <QueryContent query={list} what="API keys">
      {({ pages }) => {
        const keys = pages.flatMap(({ apiKeys }) => apiKeys.edges.map(({ node }) => node));
        const defaultId = pages[0]?.defaultApiKey?.id;
        if (keys.length === 0) return <NoKeys filter={filter} onCreate={onCreate} />;
        return (
          <>
            <ul className="cards" aria-label="API keys">
              {keys.map((key) => (
                <KeyItem key={key.id} apiKey={key} isDefault={key.id === defaultId} onSecret={onSecret} />
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
  );
}
