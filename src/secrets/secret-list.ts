import { createSecretKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';

/** A secret of the server, with the version number that stored values refer to. */
export interface VersionedKey {
  readonly version: number;
  readonly key: KeyObject;
}

/** The secrets of one kind. The first secret serves new values; all secrets serve stored ones. */
export type SecretList = readonly [VersionedKey, ...VersionedKey[]];

/** The versions of a list, in its order. */
export const versionsOf = ([first, ...others]: SecretList): [number, ...number[]] => [
  first.version,
  ...others.map(({ version }) => version),
];

/** The wanted length of a secret: in words, and as a test of a number of bytes. */
interface Size {
  readonly wanted: string;
  readonly fits: (bytes: number) => boolean;
}

/** The length of a pepper: at least that of HMAC-SHA-256's output. */
export const pepperSize: Size = { wanted: '32 bytes or more', fits: (bytes) => bytes >= 32 };

/** The length of an A256GCM key. */
export const encryptionKeySize: Size = { wanted: 'exactly 32 bytes', fits: (bytes) => bytes === 32 };

/**
 * Decodes base64 or base64url, with or without padding; undefined if the text is not the exact spelling of its bytes.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/');
  const bytes = Buffer.from(standard, 'base64');
  const padded = bytes.toString('base64');
  return [padded, padded.replace(/=+$/, '')].includes(standard) ? bytes : undefined;
}

/** The rest of the sentence "version 1 …" that says what is wrong with a secret; undefined if the secret is good. */
function faultOf(bytes: Buffer | undefined, { wanted, fits }: Size): string | undefined {
  const make = `must be ${wanted} in base64: make it with \`openssl rand -base64 32\``;
  if (!bytes) return `is not base64; it ${make}`;
  return fits(bytes.length) ? undefined : `has ${bytes.length} bytes; it ${make}`;
}

/** Finds the versions whose secret or number already occurred earlier in the list; one sentence for each. */
function repetitions(list: readonly VersionedKey[]): string[] {
  return list.flatMap(({ version, key }, at) => {
    const before = list.slice(0, at);
    const same = before.find((other) => other.key.equals(key));
    if (before.some((other) => other.version === version)) return [`names version ${version} twice`];
    return same ? [`versions ${same.version} and ${version} must not have the same secret`] : [];
  });
}

/**
 * Reads one `VERSION:SECRET`, or says what is wrong with it. The message repeats no part of the entry but its
 * version.
 */
function parseEntry(entry: string, place: number, size: Size): VersionedKey | string {
  const [, version, secret] = /^([1-9]\d{0,8}):(.+)$/.exec(entry) ?? [];
  if (!version || !secret)
    return `entry ${place} must be VERSION:SECRET, as \`echo "1:$(openssl rand -base64 32)"\` prints it`;
  const bytes = decodeBase64(secret);
  const fault = faultOf(bytes, size);
  return !bytes || fault
    ? `version ${version} ${fault}`
    : { version: Number(version), key: createSecretKey(bytes) };
}

/**
 * The schema of a list of `VERSION:SECRET`, separated by commas or white space: `"2:…, 1:…"`. Each fault names the
 * version and the wanted form, and shows no secret.
 */
export const secretList = (size: Size) =>
  z.string().transform((text, context): SecretList => {
    const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
    const parsed = entries.map((entry, at) => parseEntry(entry, at + 1, size));
    const list = parsed.filter((entry) => typeof entry !== 'string');
    const faults = [...parsed.filter((entry) => typeof entry === 'string'), ...repetitions(list)];
    if (entries.length === 0) faults.push('must have at least one VERSION:SECRET');
    for (const fault of faults) context.addIssue(fault);
    return faults.length > 0 ? z.NEVER : (list as [VersionedKey, ...VersionedKey[]]);
  });

/** The configured secrets of the server. */
export interface SecretKeys {
  readonly peppers: SecretList;
  readonly encryptionKeys: SecretList;
}

/** The environment variables that hold secrets, already parsed. */
interface SecretVariables {
  readonly KEY_PEPPERS?: SecretList | undefined;
  readonly KEY_ENCRYPTION_KEYS?: SecretList | undefined;
}

/** The secrets of the environment; undefined if one kind is missing. */
export const secretKeys = ({
  KEY_PEPPERS: peppers,
  KEY_ENCRYPTION_KEYS: encryptionKeys,
}: SecretVariables): SecretKeys | undefined => peppers && encryptionKeys && { peppers, encryptionKeys };
