import type { ApiKey, ApiKeyState } from '../keys/api-key.ts';
import { pauserOf } from '../keys/pauser-of.ts';
import { Fact, Facts } from '../ui/facts.tsx';
import { Moment } from '../ui/moment.tsx';
import { useNow } from '../ui/use-now.ts';

/** The dates of a key. */
export function AccountKeyFacts({ apiKey, state }: { readonly apiKey: ApiKey; readonly state: ApiKeyState }) {
  const { createdAt, lastUsedAt, expiresAt, deactivatedAt, secrets } = apiKey;
  const { pausedAt, pausedBy, pauseReason } = apiKey;
  const now = useNow();
  const ends = secrets.flatMap(({ endsAt }) => endsAt ?? []).toSorted();
  const previousEnd = ends.findLast((end) => new Date(end) > now);
  return (
    <Facts>
      <Fact name="Created">
        <Moment at={createdAt} />
      </Fact>
      <Fact name="Last used">{lastUsedAt === null ? 'Never' : <Moment at={lastUsedAt} />}</Fact>
      {deactivatedAt === null ? (
        <Fact name={state === 'expired' ? 'Expired' : 'Expires'}>
          {expiresAt === null ? 'Never' : <Moment at={expiresAt} />}
        </Fact>
      ) : (
        <Fact name="Deactivated">
          <Moment at={deactivatedAt} />
        </Fact>
      )}
      {pausedAt !== null && (
        <Fact name="Paused">
          <Moment at={pausedAt} />
          <p>{pauserOf(pausedBy)}</p>
          {pauseReason !== null && (
            <p>
              <bdi>{pauseReason}</bdi>
            </p>
          )}
        </Fact>
      )}
      {previousEnd !== undefined && (
        <Fact name="Previous secret works until">
          <Moment at={previousEnd} />
        </Fact>
      )}
    </Facts>
  );
}
