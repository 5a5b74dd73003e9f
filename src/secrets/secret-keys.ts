import type { SecretList } from './secret-list.ts';

/** The server's secrets, as they are configured. */
export interface SecretKeys {
  readonly peppers: SecretList;
  readonly encryptionKeys: SecretList;
}

/** The variables that hold secrets, read; each may stand in a file instead. */
export interface SecretVariables {
  readonly KEY_PEPPERS?: SecretList | undefined;
  readonly KEY_PEPPERS_FILE?: SecretList | undefined;
  readonly KEY_ENCRYPTION_KEYS?: SecretList | undefined;
  readonly KEY_ENCRYPTION_KEYS_FILE?: SecretList | undefined;
}

/** The secrets, whichever way they were given; undefined where one kind is missing. */
export function secretKeys(env: SecretVariables): SecretKeys | undefined {
  const peppers = env.KEY_PEPPERS ?? env.KEY_PEPPERS_FILE;
  const encryptionKeys = env.KEY_ENCRYPTION_KEYS ?? env.KEY_ENCRYPTION_KEYS_FILE;
  return peppers && encryptionKeys && { peppers, encryptionKeys };
}
