import { createPeppers, type Peppers } from './peppers.ts';
import { createSealer, type Sealer } from './sealer.ts';
import type { SecretKeys } from './secret-list.ts';

/** What the server's secrets are for. */
export interface Secrets {
  readonly peppers: Peppers;
  readonly sealer: Sealer;
}

/** Makes the configured secrets ready for use, once for the process. */
export const createSecrets = ({ peppers, encryptionKeys }: SecretKeys): Secrets => ({
  peppers: createPeppers(peppers),
  sealer: createSealer(encryptionKeys),
});
