import { badUserInput } from '../errors.ts';

/**
 * The pattern of an `Idempotency-Key` header field: a string of Structured Fields (RFC 9651, section 3.3.3), as the
 * draft says, or the same characters without quotes, as most clients send them. A key has 1 to 255 characters. A key
 * with a comma needs quotes, because without them it would look like two keys.
 */
export const idempotencyKeyPattern = '^(?:"((?:[ !#-\\[\\]-~]|\\\\["\\\\]){1,255})"|([!#-+\\--~]{1,255}))$';

const wellFormed = new RegExp(idempotencyKeyPattern);

const refuse = (type: string, message: string) =>
  badUserInput([{ path: ['Idempotency-Key'], type, message }]);

/**
 * Reads the key from an `Idempotency-Key` header field. Quotes make no difference: `"a"` → `a`, and `a` → `a`.
 * @throws {GatewayError} `BAD_USER_INPUT` if the header field has no valid key or was sent twice
 */
export function parseIdempotencyKey(field: string): string {
  const [, quoted, bare] = wellFormed.exec(field) ?? [];
  const key = quoted?.replaceAll(/\\(.)/g, '$1') ?? bare;
  if (key !== undefined) return key;
  throw refuse('string_pattern_mismatch', 'Must be 1 to 255 visible ASCII characters, bare or quoted.');
}

/** The error for a key that belongs to another request. */
export const usedForAnother = () =>
  refuse('value_error', 'Was used for another request in the last 24 hours. Use a new key.');

/** The error for a server: answers are kept for accounts, and a server has none. */
export const notForServers = () => refuse('value_error', 'Is for people only: a server has no account.');

/** The error for a GraphQL request with several root fields, because a key stands for one. */
export const notAlone = () => refuse('value_error', 'Requires a document with exactly one root field.');
