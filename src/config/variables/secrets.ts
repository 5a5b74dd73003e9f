import { encryptionKeySize, pepperSize, secretList } from '../../secrets/secret-list.ts';
import { onOrOff, textOfFile } from '../values/kinds.ts';

const fresh = '"1:$(openssl rand -base64 32)"';

/** The variables of the server's own secrets, and of the data that they encrypt. */
export const secretVariables = {
  KEY_PEPPERS: secretList(pepperSize).optional().meta({
    description: 'Secrets (peppers) for hashing API keys, as `VERSION:SECRET`. New keys use the first',
    unset: 'created in development',
    example: fresh,
  }),
  KEY_PEPPERS_FILE: textOfFile.pipe(secretList(pepperSize)).optional().meta({
    description: 'File with the secrets, in place of `KEY_PEPPERS`',
    example: '/run/secrets/peppers',
  }),
  KEY_ENCRYPTION_KEYS: secretList(encryptionKeySize).optional().meta({
    description: 'Secrets for encrypting private keys, as `VERSION:SECRET`. New data uses the first',
    unset: 'created in development',
    example: fresh,
  }),
  KEY_ENCRYPTION_KEYS_FILE: textOfFile.pipe(secretList(encryptionKeySize)).optional().meta({
    description: 'File with the secrets, in place of `KEY_ENCRYPTION_KEYS`',
    example: '/run/secrets/encryption-keys',
  }),
  SEAL_API_KEYS: onOrOff.default(false).meta({
    description:
      '`on` keeps an encrypted copy of each new API key, as `encrypted_key`. If `off`, no one can read a key again after it is created',
    example: 'on',
  }),
};
