import { createPeppers } from './peppers.ts';
import { createSealer } from './sealer.ts';
import type { SecretKeys } from './secret-list.ts';

/** Makes the configured secrets ready for use. A process calls this once. */
export const createSecrets = ({ peppers, encryptionKeys }: SecretKeys) => ({
  peppers: createPeppers(peppers),
  sealer: createSealer(encryptionKeys),
});

/** The two uses of the server's secrets: digests and encryption. */
export type Secrets = Readonly<ReturnType<typeof createSecrets>>;
