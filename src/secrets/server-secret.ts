import { hash, randomBytes } from 'node:crypto';
import { checksum } from './checksum.ts';

/** The beginning of each secret of a server. */
export const serverSecretPrefix = 'kws_';

/** The secret of the development server. Everybody knows it, as everybody gets any token from the development provider. */
export const developmentServerSecret = `${serverSecretPrefix}development`;

/**
 * Makes the secret of a server: `kws_` and 72 hexadecimal digits, which are 256 random bits and a CRC-32 of everything
 * before. Scanners find it in texts by `kws_[0-9a-f]{72}`.
 */
export function createServerSecret(): string {
  const body = serverSecretPrefix + randomBytes(32).toString('hex');
  return body + checksum(body);
}

/** The digest of a server's secret: SHA-256. Nobody can guess 256 random bits, so a slow hash would add nothing. */
export const digestOfServerSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer');
