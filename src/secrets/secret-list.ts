import { isUtf8 } from 'node:buffer';
import { createSecretKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';

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

/** A secret of the server's, and the number by which stored values refer to it. */
export interface VersionedKey {
  readonly version: number;
  readonly key: KeyObject;
}

/** The secrets of one kind: the first writes, all read. */
export type SecretList = readonly [VersionedKey, ...VersionedKey[]];

/** The versions of a list, in its order. */
export const versionsOf = ([first, ...others]: SecretList): [number, ...number[]] => [
  first.version,
  ...others.map(({ version }) => version),
];

/** How long a secret must be, in words and for a number of bytes. */
interface Size {
  readonly wanted: string;
  readonly fits: (bytes: number) => boolean;
}

/** A pepper: as long as HMAC-SHA-256's own output, or longer. */
export const pepperSize: Size = { wanted: '32 bytes or more', fits: (bytes) => bytes >= 32 };

/** A key of A256GCM. */
export const encryptionKeySize: Size = { wanted: 'exactly 32 bytes', fits: (bytes) => bytes === 32 };

/** The bytes of base64 or base64url, with padding or without it; undefined where it is neither to the last bit. */
function decode(text: string): Buffer | undefined {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/');
  const bytes = Buffer.from(standard, 'base64');
  const padded = bytes.toString('base64');
  return [padded, padded.replace(/=+$/, '')].includes(standard) ? bytes : undefined;
}

/** The sentence after "version 1" that says what is wrong with a secret; undefined where nothing is. */
function faultOf(bytes: Buffer | undefined, { wanted, fits }: Size): string | undefined {
  const make = `must be ${wanted} in base64: make it with \`openssl rand -base64 32\``;
  if (!bytes) return `is not base64; it ${make}`;
  if (!fits(bytes.length)) return `has ${bytes.length} bytes; it ${make}`;
  return isWeak(bytes) ? `is not random; it ${make}` : undefined;
}

/** Which versions have the same secret as an earlier one, or the same number. */
function repetitions(list: readonly VersionedKey[]): string[] {
  return list.flatMap(({ version, key }, at) => {
    const before = list.slice(0, at);
    const same = before.find((other) => other.key.equals(key));
    if (before.some((other) => other.version === version)) return [`names version ${version} twice`];
    return same ? [`versions ${same.version} and ${version} must not have the same secret`] : [];
  });
}

/** One `VERSION:SECRET`, or what is wrong with it: never a part of what was given but a version. */
function parseEntry(entry: string, place: number, size: Size): VersionedKey | string {
  const [, version, secret] = /^([1-9]\d{0,8}):(.+)$/.exec(entry) ?? [];
  if (!version || !secret)
    return `entry ${place} must be VERSION:SECRET, as \`echo "1:$(openssl rand -base64 32)"\` prints it`;
  const bytes = decode(secret);
  const fault = faultOf(bytes, size);
  return !bytes || fault
    ? `version ${version} ${fault}`
    : { version: Number(version), key: createSecretKey(bytes) };
}

/**
 * Reads `VERSION:SECRET`, with commas or white space between them.
 * Each fault says which version and what is wanted, and shows no secret.
 */
export const secretList = (size: Size) =>
  z.string().transform((text, context): SecretList => {
    const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
    const parsed = entries.map((entry, at) => parseEntry(entry, at + 1, size));
    const list = parsed.filter((entry) => typeof entry !== 'string');
    const faults = [...parsed.filter((entry) => typeof entry === 'string'), ...repetitions(list)];
    if (entries.length === 0) faults.push('must hold at least one VERSION:SECRET');
    for (const fault of faults) context.addIssue(fault);
    return faults.length > 0 ? z.NEVER : (list as [VersionedKey, ...VersionedKey[]]);
  });

/** The server's secrets, as they are configured. */
export interface SecretKeys {
  readonly peppers: SecretList;
  readonly encryptionKeys: SecretList;
}

/** The variables that hold secrets, read; each may stand in a file instead. */
export interface SecretVariables {
  readonly KEY_PEPPERS?: SecretList | undefined;
  readonly KEY_PEPPERS_FILE?: SecretList | undefined;
  readonly KEY_ENCRYPTION_KEYS?: SecretList | undefined;
  readonly KEY_ENCRYPTION_KEYS_FILE?: SecretList | undefined;
}

/** The secrets, whichever way they were given; undefined where one kind is missing. */
export function secretKeys(env: SecretVariables): SecretKeys | undefined {
  const peppers = env.KEY_PEPPERS ?? env.KEY_PEPPERS_FILE;
  const encryptionKeys = env.KEY_ENCRYPTION_KEYS ?? env.KEY_ENCRYPTION_KEYS_FILE;
  return peppers && encryptionKeys && { peppers, encryptionKeys };
}
