import { createSecretKey, hash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import type { IdempotencyRecord } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';
import type { PepperedDigest } from '../secrets/peppers.ts';
import { createSealer } from '../secrets/sealer.ts';
import type { Secrets } from '../secrets/secrets.ts';

// The answer may hold a new API key; the database otherwise stores only a digest of a key. So HMAC-SHA-256 derives
// the key that seals the answer from a pepper and from the caller's own Idempotency-Key. The database alone cannot
// open the answer. Even the database together with the server's secrets cannot, as long as the Idempotency-Key cannot
// be guessed: the row holds only a digest of the Idempotency-Key.

/** A completed operation. */
export interface CarriedOut {
  /** The digest of the request, from {@link digestRequest}. */
  readonly request: string;
  readonly result: unknown;
}

/** The row that stores an answer. */
type Place = Pick<IdempotencyRecord, 'id' | 'account'>;

const materialOf = ({ account }: Place, key: string) => JSON.stringify(['idempotency', account, key]);

const sealerOf = ({ version, digest }: PepperedDigest) =>
  createSealer([{ version, key: createSecretKey(digest) }]);

const bindingOf = ({ id, account }: Place) =>
  ({ purpose: 'idempotency', accountId: account, rowId: id }) as const;

/** Returns the digest of an operation and its input. The order of the input's members makes no difference. */
export function digestRequest(operation: string, input: object): string {
  const members = Object.entries(input).sort(([one], [other]) => (one < other ? -1 : 1));
  return hash('sha256', JSON.stringify([operation, members]), 'base64url');
}

/** A sealed answer, and the row that stores it. */
export type SealedAnswer = Pick<IdempotencyRecord, 'id' | 'sealedAnswer' | 'pepperVersion'>;

/**
 * Seals an operation's answer. Only a caller with the same Idempotency-Key can open it.
 * @param key the caller's Idempotency-Key
 */
export async function sealAnswer({ peppers }: Secrets, place: Place, key: string, answer: CarriedOut) {
  const derived = peppers.digest(materialOf(place, key));
  const { jwe, version } = await sealerOf(derived).seal(serialize(answer), bindingOf(place));
  return { id: place.id, sealedAnswer: jwe, pepperVersion: version };
}

/**
 * Opens an operation's answer.
 * @param key the caller's Idempotency-Key
 * @throws {GatewayError} `CONFLICT` if the pepper that sealed the answer is no longer configured
 */
export async function openAnswer(
  { peppers }: Secrets,
  record: Place & SealedAnswer,
  key: string,
): Promise<CarriedOut> {
  const { pepperVersion: version, sealedAnswer } = record;
  const derived = peppers.digests(materialOf(record, key)).find((each) => each.version === version);
  if (!derived)
    throw new GatewayError('CONFLICT', 'The request succeeded, but its response cannot be shown again', {
      reason: 'pepper-missing',
    });
  return deserialize(await sealerOf(derived).open(sealedAnswer, { ...bindingOf(record), version }));
}
