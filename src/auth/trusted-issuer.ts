import type { IssuerConfig } from '../config/config.ts';
import { createKeyReader } from './issuer-metadata.ts';
import { type ReadReport, VerificationKeys } from './verification-keys.ts';

/** An issuer whose access tokens are accepted, and the keys that verify them. */
export interface TrustedIssuer {
  readonly config: IssuerConfig;
  readonly keys: VerificationKeys;
}

/**
 * Begins to trust an issuer. Its keys are read when they are first needed, or by `keys.refresh()`.
 * @param report told how reads of its keys go
 */
export const trustIssuer = (config: IssuerConfig, report: ReadReport): TrustedIssuer => ({
  config,
  keys: new VerificationKeys(createKeyReader(config), report),
});
