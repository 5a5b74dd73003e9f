import { badUserInput } from '../errors.ts';

/**
 * What an `Idempotency-Key` header field may be: a string of Structured Fields (RFC 9651, section 3.3.3), as the draft
 * has it, or the same characters bare, as most clients send them. A key has 1 to 255 characters. One with a comma must
 * be quoted: a bare one would look like two.
 */
export const idempotencyKeyPattern = '^(?:"((?:[ !#-\\[\\]-~]|\\\\["\\\\]){1,255})"|([!#-+\\--~]{1,255}))$';

const wellFormed = new RegExp(idempotencyKeyPattern);

const refuse = (type: string, message: string) =>
  badUserInput([{ path: ['Idempotency-Key'], type, message }]);

/**
 * The key in an `Idempotency-Key` header field: the same, quoted or bare.
 * @throws {GatewayError} `BAD_USER_INPUT` where it is none, or was sent twice
 */
export function parseIdempotencyKey(field: string): string {
  const [, quoted, bare] = wellFormed.exec(field) ?? [];
  const key = quoted?.replaceAll(/\\(.)/g, '$1') ?? bare;
  if (key !== undefined) return key;
  throw refuse('string_pattern_mismatch', 'Must be 1 to 255 visible ASCII characters, bare or quoted.');
}

/** The key was used for a request that asked for something else. */
export const usedForAnother = () =>
  refuse('value_error', 'Belongs to another request of the last 24 hours: use a new key.');

/** A request has several root fields, and a key stands for one. */
export const notAlone = () => refuse('value_error', 'Must stand beside one root field.');
