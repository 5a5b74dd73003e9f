import { createPeppers, type Peppers } from './peppers.ts';
import { createSealer, type Sealer } from './sealer.ts';
import type { SecretKeys } from './secret-list.ts';

/** The two uses of the server's secrets: digests and encryption. */
export interface Secrets {
  readonly peppers: Peppers;
  readonly sealer: Sealer;
}

/** Makes the configured secrets ready for use. A process calls this once. */
export const createSecrets = ({ peppers, encryptionKeys }: SecretKeys): Secrets => ({
  peppers: createPeppers(peppers),
  sealer: createSealer(encryptionKeys),
});
