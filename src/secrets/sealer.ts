import { isDeepStrictEqual } from 'node:util';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { GatewayError } from '../errors.ts';
import { isCanonicalBase64url } from './canonical.ts';
import { type SecretList, type VersionedKey, versionsOf } from './secret-list.ts';

/** What a sealed value belongs to; it opens nowhere else. */
export interface Binding {
  readonly purpose: 'api-key' | 'private-key' | 'idempotency' | 'webhook-endpoint';
  /** 0 where it is no account's. */
  readonly accountId: number;
  /** The row that the sealed value is stored in. */
  readonly rowId: number;
}

/** A sealed value. */
export interface Sealed {
  /** A compact JWE; see `createSealer`. */
  readonly jwe: string;
  /** The version of the key-encryption key, to be stored beside it. */
  readonly version: number;
}

/** Encrypts what is stored and must be read again. */
export interface Sealer {
  /** The versions that are configured; the first writes. */
  readonly versions: readonly [number, ...number[]];
  /** Seals under the key-encryption key that writes. */
  seal(plaintext: Uint8Array, binding: Binding): Promise<Sealed>;
  /**
   * @param binding what the value is stored as, with the version that is stored beside it
   * @throws {GatewayError} masked, with the `reason` `seal-broken` or `encryption-key-missing`
   */
  open(jwe: string, binding: Binding & Pick<Sealed, 'version'>): Promise<Uint8Array>;
}

const algorithms = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] };

const header = ({ purpose, accountId, rowId }: Binding, version: number) => ({
  alg: 'dir',
  enc: 'A256GCM',
  kid: `${version}`,
  purpose,
  account: accountId,
  row: rowId,
});

const failure = (reason: string, cause: Error) =>
  new GatewayError('INTERNAL_SERVER_ERROR', 'Internal Server Error', { reason, cause });

// One cause for all that can be wrong: a changed byte looks like a value of another row.
const broken = () =>
  failure('seal-broken', new Error('The sealed value was changed, or belongs to another place'));

const missing = (version: number) =>
  failure('encryption-key-missing', new Error(`KEY_ENCRYPTION_KEYS has no version ${version}`));

// A CryptoKey is imported once; a KeyObject would be by each call. Its bytes cannot be read out again.
const importKey = ({ version, key }: VersionedKey) => ({
  version,
  key: key.toCryptoKey('AES-GCM', false, ['encrypt', 'decrypt']),
});

/**
 * A sealed value is a compact JWE (RFC 7516): an established format that any JOSE library reads, and that names its
 * algorithm and its key itself. `alg` is `dir`: the key-encryption key encrypts the value without another key between.
 * `enc` is `A256GCM`, with 96 random bits as the IV, and `kid` is the key's version. What it belongs to stands in the
 * protected header too (`purpose`, `account`, `row`), which the authentication tag covers: a value that was changed,
 * or moved to another row, does not open.
 * @param list the first writes, all read
 */
export function createSealer(list: SecretList): Sealer {
  const [first, ...others] = list;
  const newest = importKey(first);
  const keys = new Map([newest, ...others.map(importKey)].map(({ version, key }) => [version, key]));
  return {
    versions: versionsOf(list),
    seal: async (plaintext, binding) => {
      const { version, key } = newest;
      const jwe = await new CompactEncrypt(plaintext)
        .setProtectedHeader(header(binding, version))
        .encrypt(key);
      return { jwe, version };
    },
    open: async (jwe, { version, ...binding }) => {
      const key = keys.get(version);
      if (!key) throw missing(version);
      if (!jwe.split('.').every(isCanonicalBase64url)) throw broken();
      const { plaintext, protectedHeader } = await compactDecrypt(jwe, key, algorithms).catch(() => {
        throw broken();
      });
      if (!isDeepStrictEqual(protectedHeader, header(binding, version))) throw broken();
      return plaintext;
    },
  };
}
