import { secretKeys } from '../secrets/secret-keys.ts';
import type { Fault, Given } from './fault.ts';

const kinds = ['KEY_PEPPERS', 'KEY_ENCRYPTION_KEYS'] as const;

/**
 * What no single variable of the secrets shows.
 * @param required whether there must be secrets; otherwise both kinds may be missing, but not one
 */
export function secretFaults({ isSet, env }: Given, required: boolean): Fault[] {
  const isGiven = (kind: (typeof kinds)[number]) => isSet(kind) || isSet(`${kind}_FILE`);
  const wanted = required || kinds.some(isGiven);
  const missing = kinds.filter((kind) => wanted && !isGiven(kind));
  const twofold = kinds.filter((kind) => isSet(kind) && isSet(`${kind}_FILE`));
  return [
    ...missing.map((kind): Fault => [kind, `(or ${kind}_FILE) must be set: VERSION:SECRET`]),
    ...twofold.map((kind): Fault => [kind, `and ${kind}_FILE must not both be set`]),
    ...shared(env),
  ];
}

/** A secret that serves two purposes is as good as the weaker of the two. */
const shared = (env: Given['env']): Fault[] => {
  const { peppers = [], encryptionKeys = [] } = secretKeys(env) ?? {};
  return peppers.flatMap((pepper) =>
    encryptionKeys
      .filter(({ key }) => key.equals(pepper.key))
      .map(
        ({ version }): Fault => [
          'KEY_PEPPERS',
          `version ${pepper.version} and KEY_ENCRYPTION_KEYS version ${version} must not have the same secret`,
        ],
      ),
  );
};
