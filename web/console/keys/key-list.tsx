import { useState } from 'preact/compat';
import { Button } from '../ui/button.tsx';
import { QueryContent } from '../ui/query-content.tsx';
import { useNow } from '../ui/use-now.ts';
import { type ApiKey, nameOf, stateOf } from './api-key.ts';
import { chooseKeys, type KeyChoice, looksLikeSecret } from './choose-keys.ts';
import { ExpiryWarning } from './expiry-warning.tsx';
import { KeyItem } from './key-item.tsx';
import { KeyToolbar } from './key-toolbar.tsx';
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
      {looksLikeSecret(choice.search) && <PastedSecret found={chosen} now={now} />}
      {chosen.length === 0 ? (
        <p className="empty">No API keys match.</p>
      ) : (
        <ul className="cards" aria-label="API keys">
          {chosen.map((key) => (
            <KeyItem key={key.id} apiKey={key} isDefault={key.id === defaultId} onSecret={onSecret} />
          ))}
        </ul>
      )}
    </>
  );
}

interface PastedSecretProps {
  /** The keys with the prefix of the pasted text. */
  readonly found: readonly ApiKey[];
  readonly now: Date;
}

/** Says whose secret was pasted into the search, for example after a leak. Only prefixes are known here. */
function PastedSecret({ found: [key, ...others], now }: PastedSecretProps) {
  return (
    <p className="warning" role="status">
      {key && others.length === 0 && (
        <>
          This is <bdi>{nameOf(key)}</bdi>, {stateOf(key, now)}.
        </>
      )}
      {key && others.length > 0 && 'Several keys start like this.'}
      {!key &&
        'No key starts like this now. It can still be the previous secret of a key that was rotated: check Activity for the prefix.'}{' '}
      Only the part before the dot was compared. The text does not leave this page.
    </p>
  );
}
