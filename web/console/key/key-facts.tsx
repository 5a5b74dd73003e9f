import { useState } from 'preact/compat';
import { absolute } from '../../shared/times.ts';
import { type ApiKey, type ApiKeyState, expiresSoon } from '../keys/api-key.ts';
import { KeyBadge } from '../keys/key-badge.tsx';
import { Button } from '../ui/button.tsx';
import { useHost } from '../ui/host.ts';
import { Moment } from '../ui/moment.tsx';
import { useNow } from '../ui/use-now.ts';

interface KeyFactsProps {
  readonly apiKey: ApiKey;
  readonly state: ApiKeyState;
}

/** What a key is, in one line. */
export function KeyFacts({ apiKey, state }: KeyFactsProps) {
  const { setParams } = useHost();
  const { id, keyPrefix, createdAt, lastUsedAt, expiresAt, deactivatedAt, isDefault } = apiKey;
  const now = useNow();
  return (
    <ul className="key-facts">
      <li>
        <KeyBadge apiKey={apiKey} now={now} />
      </li>
      <li>
        <code>{keyPrefix}</code> <Copy text={keyPrefix} what="prefix" />
      </li>
      <li>
        ID {id} <Copy text={`${id}`} what="ID" />
      </li>
      <li>
        {lastUsedAt === null ? (
          'Never used'
        ) : (
          <>
            Last used <Moment at={lastUsedAt} />
          </>
        )}
      </li>
      <li>Created {absolute(new Date(createdAt))}</li>
      {deactivatedAt !== null && <li>Deactivated {absolute(new Date(deactivatedAt))}</li>}
      {deactivatedAt === null && (
        <li className={expiresSoon(apiKey, now) ? 'soon' : undefined}>
          {expiresAt === null ? (
            'Never expires'
          ) : (
            <>
              {state === 'expired' ? 'Expired' : 'Expires'} <Moment at={expiresAt} />
            </>
          )}
          {expiresSoon(apiKey, now) && (
            <Button look="quiet" onClick={() => setParams({ edit: 'expiresAt' })}>
              Extend…
            </Button>
          )}
        </li>
      )}
      {isDefault && <li>Default key</li>}
    </ul>
  );
}

interface CopyProps {
  readonly text: string;
  readonly what: string;
}

/** A small button that copies a text. */
function Copy({ text, what }: CopyProps) {
  const [copied, setCopied] = useState('');
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied('Copied'),
      // The page came over plain HTTP, or the browser forbids it.
      () => setCopied('Select the text and copy it yourself'),
    );
  return (
    <>
      <Button look="quiet" onClick={copy}>
        Copy<span className="visually-hidden"> the {what}</span>
      </Button>
      <span className="hint" role="status">
        {copied}
      </span>
    </>
  );
}
