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

const names = ['KEY_PEPPERS', 'KEY_ENCRYPTION_KEYS'] as const;

/** The secrets, whichever way they were given; undefined where one kind is missing. */
export function secretKeys(env: SecretVariables): SecretKeys | undefined {
  const peppers = env.KEY_PEPPERS ?? env.KEY_PEPPERS_FILE;
  const encryptionKeys = env.KEY_ENCRYPTION_KEYS ?? env.KEY_ENCRYPTION_KEYS_FILE;
  return peppers && encryptionKeys && { peppers, encryptionKeys };
}

/**
 * What no single variable of the secrets shows.
 * @param given the environment as it is set
 * @param env what of it could be read
 * @param required whether there must be secrets; otherwise both kinds may be missing, but not one
 */
export function secretFaults(given: NodeJS.ProcessEnv, env: SecretVariables, required: boolean): string[] {
  const isGiven = (name: string) => given[name] !== undefined || given[`${name}_FILE`] !== undefined;
  const wanted = required || names.some(isGiven);
  const missing = names.filter((name) => wanted && !isGiven(name));
  const twofold = names.filter((name) => given[name] !== undefined && given[`${name}_FILE`] !== undefined);
  return [
    ...missing.map(
      (name) =>
        `${name} (or ${name}_FILE) must be set: VERSION:SECRET, as \`echo "1:$(openssl rand -base64 32)"\` prints it`,
    ),
    ...twofold.map((name) => `${name} and ${name}_FILE must not both be set`),
    ...shared(secretKeys(env)),
  ];
}

/** A secret that serves two purposes is as good as the weaker of the two. */
const shared = (keys: SecretKeys | undefined): string[] =>
  keys?.peppers.flatMap((pepper) =>
    keys.encryptionKeys
      .filter(({ key }) => key.equals(pepper.key))
      .map(
        ({ version }) =>
          `KEY_PEPPERS version ${pepper.version} and KEY_ENCRYPTION_KEYS version ${version} must not have the same secret`,
      ),
  ) ?? [];
