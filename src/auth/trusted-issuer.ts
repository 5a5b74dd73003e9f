import type { IssuerConfig } from '../config/config.ts';
import { createKeyReader } from './issuer-metadata.ts';
import { VerificationKeys } from './verification-keys.ts';

/** An issuer whose access tokens are accepted, and the keys that verify them. */
export interface TrustedIssuer {
  readonly config: IssuerConfig;
  readonly keys: VerificationKeys;
}

/**
 * Begins to trust an issuer. Its keys are read when they are first needed, or by `keys.refresh()`.
 * @param onFailure told why its keys could not be read
 */
export const trustIssuer = (config: IssuerConfig, onFailure: (error: unknown) => void): TrustedIssuer => ({
  config,
  keys: new VerificationKeys(createKeyReader(config), onFailure),
});
