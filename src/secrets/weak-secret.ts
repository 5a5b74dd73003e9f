import { isUtf8 } from 'node:buffer';

/** 32 random bytes have fewer distinct values than this less than once in 10^15. */
const leastDistinct = 16;

const distinct = (values: Iterable<number>): number => new Set(values).size;

/** From each byte to the next, around the end of a byte: of a counter, all are the same. */
const steps = (bytes: Uint8Array): Uint8Array =>
  bytes.map((byte, at) => byte - (bytes[at - 1] ?? 0)).slice(1);

/**
 * Whether a secret is plainly not random. It must not be text in UTF-8, such as words or hexadecimal digits; its bytes
 * must have at least 16 distinct values, and so must the steps between them (no padding, no counting); and its first
 * 16 bytes must not come again (no pattern). A random secret is taken for weak once in a hundred million.
 * @param secret at least 32 bytes
 */
export const isWeak = (secret: Buffer): boolean =>
  isUtf8(secret) ||
  distinct(secret) < leastDistinct ||
  distinct(steps(secret)) < leastDistinct ||
  secret.includes(secret.subarray(0, 16), 1);
