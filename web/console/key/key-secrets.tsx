import { absolute } from '../../shared/times.ts';
import { type ApiKey, type ApiKeyState, canChange } from '../keys/api-key.ts';
import { Button } from '../ui/button.tsx';
import { Heading } from '../ui/heading.tsx';
import { useHost } from '../ui/host.ts';
import { Moment } from '../ui/moment.tsx';
import { useNow } from '../ui/use-now.ts';

interface KeySecretsProps {
  readonly apiKey: ApiKey;
  readonly state: ApiKeyState;
}

/** The secrets of a key that work. */
export function KeySecrets({ apiKey, state }: KeySecretsProps) {
  const now = useNow();
  const secrets = apiKey.secrets.filter(({ endsAt }) => endsAt === null || new Date(endsAt) > now);
  return (
    <section className="key-section" part="section" aria-labelledby="key-secrets">
      <header>
        <Heading level={2} id="key-secrets">
          Secrets
        </Heading>
      </header>
      {state === 'paused' && <p className="hint">These work again when the key is resumed.</p>}
      {canChange(state) ? (
        <ul className="key-rows">
          {secrets.map((secret) => (
            <Secret key={secret.prefix} secret={secret} />
          ))}
        </ul>
      ) : (
        <p className="hint">None works: the key {state === 'expired' ? 'has expired' : 'is inactive'}.</p>
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
  return (
    <li>
      <p>
        <strong>{endsAt === null ? 'Current secret' : 'Previous secret'}</strong>{' '}
        {prefix && <code>{prefix}</code>}
      </p>
      <p className="hint">
        {createdAt !== null && `Created ${absolute(new Date(createdAt))}. `}
        {lastUsedAt === null ? (
          'Not used yet. '
        ) : (
          <>
            Last used <Moment at={lastUsedAt} />.{' '}
          </>
        )}
        {endsAt !== null && <>Works until {absolute(new Date(endsAt))}.</>}
      </p>
      {endsAt !== null && prefix !== null && (
        <Button look="quiet danger" onClick={() => setParams({ do: 'end-secret', secret: prefix })}>
          End now…<span className="visually-hidden"> {prefix}</span>
        </Button>
      )}
    </li>
  );
}
