import { createHash, createSecretKey } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import type { IdempotencyRecord } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';
import type { PepperedDigest } from '../secrets/peppers.ts';
import { createSealer } from '../secrets/sealer.ts';
import type { Secrets } from '../secrets/secrets.ts';

// The answer may hold a new API key, of which nothing but a digest is stored otherwise. So the key that seals it is
// made, by HMAC-SHA-256, of a pepper and of the caller's own Idempotency-Key: neither the database alone opens it, nor
// the database together with the server's secrets, as long as nobody can guess the Idempotency-Key. Its row holds no
// more of that than a digest.

/** An operation that was carried out. */
export interface CarriedOut {
  /** What was asked for, as a digest. */
  readonly request: string;
  readonly result: unknown;
}

/** Where an answer is stored. */
type Place = Pick<IdempotencyRecord, 'id' | 'account'>;

const materialOf = ({ account }: Place, key: string) => JSON.stringify(['idempotency', account, key]);

const sealerOf = ({ version, digest }: PepperedDigest) =>
  createSealer([{ version, key: createSecretKey(digest) }]);

const bindingOf = ({ id, account }: Place) =>
  ({ purpose: 'idempotency', accountId: account, rowId: id }) as const;

/** The digest of what was asked for: an operation and its input, the same however its members are ordered. */
export const digestRequest = (operation: string, input: object): string =>
  createHash('sha256')
    .update(
      JSON.stringify([operation, Object.entries(input).sort(([one], [other]) => (one < other ? -1 : 1))]),
    )
    .digest('base64url');

/**
 * Seals what an operation has answered, so that it opens for who has the key.
 * @param key the caller's Idempotency-Key
 */
export async function sealAnswer({ peppers }: Secrets, place: Place, key: string, answer: CarriedOut) {
  const derived = peppers.digest(materialOf(place, key));
  const { jwe, version } = await sealerOf(derived).seal(serialize(answer), bindingOf(place));
  return { id: place.id, sealedAnswer: jwe, pepperVersion: version };
}

/**
 * Opens what an operation has answered.
 * @throws {GatewayError} `CONFLICT` where the pepper is gone that it was sealed under
 */
export async function openAnswer(
  { peppers }: Secrets,
  record: Place & Pick<IdempotencyRecord, 'sealedAnswer' | 'pepperVersion'>,
  key: string,
): Promise<CarriedOut> {
  const { pepperVersion: version, sealedAnswer } = record;
  const derived = peppers.digests(materialOf(record, key)).find((each) => each.version === version);
  if (!derived)
    throw new GatewayError('CONFLICT', 'The request was carried out, and its answer cannot be shown again', {
      reason: 'pepper-missing',
    });
  return deserialize(await sealerOf(derived).open(sealedAnswer, { ...bindingOf(record), version }));
}
