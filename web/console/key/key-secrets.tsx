import { type ApiKey, type ApiKeyState, canChange } from '../keys/api-key.ts';
import { Button } from '../ui/button.tsx';
import { Heading } from '../ui/heading.tsx';
import { useHost, useLanguage, useMayChange } from '../ui/host.ts';
import { Moment } from '../ui/moment.tsx';
import { useNow } from '../ui/use-now.ts';

interface KeySecretsProps {
  readonly apiKey: ApiKey;
  readonly state: ApiKeyState;
}

/** The secrets of a key that work. */
export function KeySecrets({ apiKey, state }: KeySecretsProps) {
  const now = useNow();
  const { text } = useLanguage();
  const secrets = apiKey.secrets.filter(({ endsAt }) => endsAt === null || new Date(endsAt) > now);
  return (
    <section className="key-section" part="section" aria-labelledby="key-secrets">
      <header>
        <Heading level={2} id="key-secrets">
          {text('key.secrets')}
        </Heading>
      </header>
      {state === 'paused' && <p className="hint">{text('key.secrets-paused')}</p>}
      {canChange(state) ? (
        <ul className="key-rows">
          {secrets.map((secret) => (
            <Secret key={secret.prefix} secret={secret} />
          ))}
        </ul>
      ) : (
        <p className="hint">{text(state === 'expired' ? 'key.secrets-expired' : 'key.secrets-inactive')}</p>
      )}
    </section>
  );
}

function Secret({
  secret: { prefix, createdAt, lastUsedAt, endsAt },
}: {
  secret: ApiKey['secrets'][number];
}) {
  const { setParams } = useHost();
  const { text, rich, absolute } = useLanguage();
  const canEdit = useMayChange();
  return (
    <li>
      <p>
        <strong>{text(endsAt === null ? 'key.secret-current' : 'key.secret-previous')}</strong>{' '}
        {prefix && <code>{prefix}</code>}
      </p>
      <p className="hint">
        {createdAt !== null && `${text('key.secret-created', { at: absolute(new Date(createdAt)) })} `}
        {lastUsedAt === null
          ? text('key.secret-unused')
          : rich('key.secret-used', { at: <Moment at={lastUsedAt} /> })}{' '}
        {endsAt !== null && text('key.secret-until', { at: absolute(new Date(endsAt)) })}
      </p>
      {canEdit && endsAt !== null && prefix !== null && (
        <Button look="quiet danger" onClick={() => setParams({ do: 'end-secret', secret: prefix })}>
          {text('key.end-now')}
          <span className="visually-hidden"> {prefix}</span>
        </Button>
      )}
    </li>
  );
}
