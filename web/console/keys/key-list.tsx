import { useState } from 'preact/compat';
import { Button } from '../ui/button.tsx';
import { QueryContent } from '../ui/query-content.tsx';
import { useNow } from '../ui/use-now.ts';
import type { ApiKey } from './api-key.ts';
import { chooseKeys, type KeyChoice } from './choose-keys.ts';
import { ExpiryWarning } from './expiry-warning.tsx';
import { KeyDialog, type KeyRequest } from './key-dialog.tsx';
import { KeyItem } from './key-item.tsx';
import { KeyToolbar } from './key-toolbar.tsx';
import { PastedSecret } from './pasted-secret.tsx';
import type { NewSecret } from './secret-dialog.tsx';
import { useApiKeys } from './use-api-keys.ts';

interface KeyListProps {
  readonly onCreate: () => void;
  readonly onSecret: (secret: NewSecret) => void;
}

/** The person's keys, with the actions for each. */
export function KeyList({ onCreate, onSecret }: KeyListProps) {
  const list = useApiKeys();
  return (
    <QueryContent query={list} what="API keys">
      {({ pages }) => {
        const keys = pages.flatMap(({ apiKeys }) => apiKeys.edges.map(({ node }) => node));
        if (keys.length === 0) return <NoKeys onCreate={onCreate} />;
        return <ChosenKeys keys={keys} defaultId={pages[0]?.defaultApiKey?.id} onSecret={onSecret} />;
      }}
    </QueryContent>
  );
}

/** Shown if there is no key yet, with the next step. */
const NoKeys = ({ onCreate }: { readonly onCreate: () => void }) => (
  <div className="empty">
    <h2>No API keys yet</h2>
    <p>Create a key for each program that acts for you. Its secret is shown only once.</p>
    <Button onClick={onCreate}>Create your first API key</Button>
  </div>
);

interface ChosenKeysProps extends Pick<KeyListProps, 'onSecret'> {
  readonly keys: readonly ApiKey[];
  readonly defaultId: number | undefined;
}

function ChosenKeys({ keys, defaultId, onSecret }: ChosenKeysProps) {
  const [choice, setChoice] = useState<KeyChoice>({ filter: 'all', order: 'newest', search: '' });
  const [asked, setAsked] = useState<KeyRequest>();
  const now = useNow();
  const chosen = chooseKeys(keys, choice, now);
  return (
    <>
      <ExpiryWarning
        keys={keys}
        now={now}
        onShow={() => setChoice({ filter: 'all', order: 'expiry', search: '' })}
      />
      <KeyToolbar choice={choice} onChange={setChoice} counts={{ listed: chosen.length, all: keys.length }} />
      {choice.isPasted && <PastedSecret keys={keys} prefix={choice.search} now={now} onAsk={setAsked} />}
      {chosen.length === 0 ? (
        <p className="empty">No API keys match.</p>
      ) : (
        <ul className="cards" aria-label="API keys">
          {chosen.map((key) => (
            <KeyItem key={key.id} apiKey={key} isDefault={key.id === defaultId} onAsk={setAsked} />
          ))}
        </ul>
      )}
      {asked && <KeyDialog asked={asked} onSecret={onSecret} onDismiss={() => setAsked(undefined)} />}
    </>
  );
}
