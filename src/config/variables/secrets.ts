import { encryptionKeySize, pepperSize, secretList } from '../../secrets/secret-list.ts';
import { onOrOff, textOfFile } from '../values/kinds.ts';

const fresh = '"1:$(openssl rand -base64 32)"';

/** The variables of the server's own secrets, and of the data that they encrypt. */
export const secretVariables = {
  KEY_PEPPERS: secretList(pepperSize).optional().meta({
    description: 'Secrets under which API keys are hashed: `VERSION:SECRET`, the first for what is new',
    unset: 'made in development',
    example: fresh,
  }),
  KEY_PEPPERS_FILE: textOfFile.pipe(secretList(pepperSize)).optional().meta({
    description: 'A file that holds them, in place of `KEY_PEPPERS`',
    example: '/run/secrets/peppers',
  }),
  KEY_ENCRYPTION_KEYS: secretList(encryptionKeySize).optional().meta({
    description:
      'Secrets under which private keys are encrypted: `VERSION:SECRET`, the first for what is new',
    unset: 'made in development',
    example: fresh,
  }),
  KEY_ENCRYPTION_KEYS_FILE: textOfFile.pipe(secretList(encryptionKeySize)).optional().meta({
    description: 'A file that holds them, in place of `KEY_ENCRYPTION_KEYS`',
    example: '/run/secrets/encryption-keys',
  }),
  SEAL_API_KEYS: onOrOff.default(false).meta({
    description:
      '`on`: of each new API key an encrypted copy is kept, as its `encrypted_key`. Without it nobody, not even the operator, can tell a key again',
    example: 'on',
  }),
};
