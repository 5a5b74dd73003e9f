import { createSecretKey, randomBytes } from 'node:crypto';
import type { SecretList, VersionedKey } from '../../src/secrets/secret-list.ts';

/** Random secrets as a variable holds them: `2:…,1:…`. */
export const secretText = (versions: readonly number[] = [1]): string =>
  versions.map((version) => `${version}:${randomBytes(32).toString('base64')}`).join(',');

/** The variables that production needs for its secrets. */
export const secretVariables = () => ({ KEY_PEPPERS: secretText(), KEY_ENCRYPTION_KEYS: secretText() });

/** A random secret as the configuration holds it. */
const versionedKey = (version: number): VersionedKey => ({
  version,
  key: createSecretKey(randomBytes(32)),
});

/** Random secrets of these versions; the first writes. */
export const secretListOf = (first: number, ...others: number[]): SecretList => [
  versionedKey(first),
  ...others.map(versionedKey),
];
