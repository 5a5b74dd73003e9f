import type { ApiKey, ApiKeyState } from '../keys/api-key.ts';
import { pauserOf } from '../keys/pauser-of.ts';
import { Fact, Facts } from '../ui/facts.tsx';
import { useLanguage } from '../ui/host.ts';
import { Moment } from '../ui/moment.tsx';
import { useNow } from '../ui/use-now.ts';

/** The dates of a key. */
export function AccountKeyFacts({ apiKey, state }: { readonly apiKey: ApiKey; readonly state: ApiKeyState }) {
  const { createdAt, lastUsedAt, expiresAt, deactivatedAt, secrets } = apiKey;
  const { text } = useLanguage();
  const now = useNow();
  const ends = secrets.flatMap(({ endsAt }) => endsAt ?? []).toSorted();
  const previousEnd = ends.findLast((end) => new Date(end) > now);
  return (
    <Facts>
      <Fact name={text('operate.key-created')}>
        <Moment at={createdAt} />
      </Fact>
      <Fact name={text('operate.key-last-used')}>
        {lastUsedAt === null ? text('operate.key-never-used') : <Moment at={lastUsedAt} />}
      </Fact>
      {deactivatedAt === null ? (
        <Fact name={text(state === 'expired' ? 'operate.key-expired' : 'operate.key-expires')}>
          {expiresAt === null ? text('operate.key-never-expires') : <Moment at={expiresAt} />}
        </Fact>
      ) : (
        <Fact name={text('operate.key-deactivated')}>
          <Moment at={deactivatedAt} />
        </Fact>
      )}
      <Pause {...apiKey} />
      {previousEnd !== undefined && (
        <Fact name={text('operate.key-previous-until')}>
          <Moment at={previousEnd} />
        </Fact>
      )}
    </Facts>
  );
}

/** Since when a key is paused, by whom and why. */
function Pause({ pausedAt, pausedBy, pauseReason }: ApiKey) {
  const language = useLanguage();
  if (pausedAt === null) return null;
  return (
    <Fact name={language.text('operate.key-paused')}>
      <Moment at={pausedAt} />
      <p>{pauserOf(language, pausedBy)}</p>
      {pauseReason !== null && (
        <p>
          <bdi>{pauseReason}</bdi>
        </p>
      )}
    </Fact>
  );
}
