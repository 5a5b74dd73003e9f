import { isDeepStrictEqual } from 'node:util';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { GatewayError } from '../errors.ts';
import { isCanonicalBase64url } from './canonical.ts';
import { type SecretList, type VersionedKey, versionsOf } from './secret-list.ts';

/** The place of a sealed value. The value opens in this place only. */
export interface Binding {
  readonly purpose: 'api-key' | 'private-key' | 'idempotency' | 'webhook-endpoint';
  /** The account's id; 0 if the value belongs to no account. */
  readonly accountId: number;
  /** The id of the row that stores the sealed value. */
  readonly rowId: number;
}

/** A sealed value. */
export interface Sealed {
  /** The value as a compact JWE; see {@link createSealer}. */
  readonly jwe: string;
  /** The version of the key-encryption key. The row stores it beside the value. */
  readonly version: number;
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

// All faults have one cause: a value with a changed byte cannot be told from a value of another row.
const broken = () =>
  failure('seal-broken', new Error('The sealed value was changed, or belongs to another place'));

const missing = (version: number) =>
  failure('encryption-key-missing', new Error(`KEY_ENCRYPTION_KEYS has no version ${version}`));

// Web Crypto would import a KeyObject again on each call; a CryptoKey is imported once, and never reveals its bytes.
const importKey = ({ version, key }: VersionedKey) => ({
  version,
  key: key.toCryptoKey('AES-GCM', false, ['encrypt', 'decrypt']),
});

/**
 * Makes a sealer. A sealed value is a compact JWE (RFC 7516): an established format that any JOSE library reads, and
 * that names its own algorithm and key. `alg` is `dir`: the key-encryption key encrypts the value directly. `enc` is
 * `A256GCM`, with 96 random bits as the IV, and `kid` is the key's version. The protected header also names the
 * value's place (`purpose`, `account`, `row`). The authentication tag covers the header, so a value that was changed
 * or moved to another row does not open.
 * @param list the first key seals new values; all keys open stored ones
 */
export function createSealer(list: SecretList) {
  const [first, ...others] = list;
  const newest = importKey(first);
  const keys = new Map([newest, ...others.map(importKey)].map(({ version, key }) => [version, key]));
  return {
    /** The configured versions; the first seals new values. */
    versions: versionsOf(list),
    /** Seals a value under the first key-encryption key. */
    seal: async (plaintext: Uint8Array, binding: Binding): Promise<Sealed> => {
      const { version, key } = newest;
      const jwe = await new CompactEncrypt(plaintext)
        .setProtectedHeader(header(binding, version))
        .encrypt(key);
      return { jwe, version };
    },
    /**
     * Opens a sealed value.
     * @param binding the place of the value, and the version that its row stores
     * @throws {GatewayError} masked, with the `reason` `seal-broken` or `encryption-key-missing`
     */
    open: async (jwe: string, { version, ...binding }: Binding & Pick<Sealed, 'version'>) => {
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

/** Encrypts values that the service stores and must read again. */
export type Sealer = Readonly<ReturnType<typeof createSealer>>;
