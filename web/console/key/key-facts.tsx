import { type ReactNode, useState } from 'preact/compat';
import { type ApiKey, type ApiKeyState, expiresSoon } from '../keys/api-key.ts';
import { creatorOf } from '../keys/creator-of.ts';
import { KeyBadge } from '../keys/key-badge.tsx';
import { Button } from '../ui/button.tsx';
import { useHost, useLanguage } from '../ui/host.ts';
import { Moment } from '../ui/moment.tsx';
import { useNow } from '../ui/use-now.ts';

/** Words for a screen reader alone. */
const hidden = (content: ReactNode) => <span className="visually-hidden">{content}</span>;

interface KeyFactsProps {
  readonly apiKey: ApiKey;
  readonly state: ApiKeyState;
}

/** What a key is, in one line. */
export function KeyFacts({ apiKey, state }: KeyFactsProps) {
  const { setParams, useAccount } = useHost();
  const account = useAccount();
  const language = useLanguage();
  const { text, rich, absolute } = language;
  const { id, keyPrefix, createdAt, lastUsedAt, expiresAt, deactivatedAt, isDefault } = apiKey;
  const now = useNow();
  const hiddenIn = (id: 'key.copy-prefix' | 'key.copy-id') => rich(id, { hidden });
  return (
    <ul className="key-facts">
      <li>
        <KeyBadge apiKey={apiKey} now={now} />
      </li>
      <li>
        <code>{keyPrefix}</code> <Copy text={keyPrefix} label={hiddenIn('key.copy-prefix')} />
      </li>
      <li>
        {text('key.id', { id: `${id}` })} <Copy text={`${id}`} label={hiddenIn('key.copy-id')} />
      </li>
      <li>
        {lastUsedAt === null
          ? text('key.never-used')
          : rich('key.last-used', { at: <Moment at={lastUsedAt} /> })}
      </li>
      <li>{text('key.created', { at: absolute(new Date(createdAt)) })}</li>
      {account.organization !== undefined && (
        <li>{text('key.created-by', { who: creatorOf(language, apiKey, account) })}</li>
      )}
      {deactivatedAt !== null && (
        <li>{text('key.deactivated-at', { at: absolute(new Date(deactivatedAt)) })}</li>
      )}
      {deactivatedAt === null && (
        <li className={expiresSoon(apiKey, now) ? 'soon' : undefined}>
          {expiresAt === null
            ? text('key.never-expires')
            : rich(state === 'expired' ? 'key.expired-at' : 'key.expires-at', {
                at: <Moment at={expiresAt} />,
              })}
          {expiresSoon(apiKey, now) && account.mayChange && (
            <Button look="quiet" onClick={() => setParams({ edit: 'expiresAt' })}>
              {text('key.extend')}
            </Button>
          )}
        </li>
      )}
      {isDefault && <li>{text('key.default')}</li>}
    </ul>
  );
}

interface CopyProps {
  readonly text: string;
  /** *Copy*, and what, for a screen reader. */
  readonly label: ReactNode;
}

/** A small button that copies a text. */
function Copy({ text, label }: CopyProps) {
  const language = useLanguage();
  const [copied, setCopied] = useState('');
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied(language.text('key.copied')),
      // The page came over plain HTTP, or the browser forbids it.
      () => setCopied(language.text('key.copy-yourself')),
    );
  return (
    <>
      <Button look="quiet" onClick={copy}>
        {label}
      </Button>
      <span className="hint" role="status">
        {copied}
      </span>
    </>
  );
}
