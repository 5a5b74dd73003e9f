import { join } from 'node:path';
import { loadConfig } from '../../src/config/load-config.ts';
import { openDatabase } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import type { ApiKey } from '../../src/database/tables.ts';
import { developmentIssuer } from '../../src/dev/issuer.ts';
import type { SecretKeys } from '../../src/secrets/secret-list.ts';
import { createSecrets } from '../../src/secrets/secrets.ts';
import { databaseConfig } from './database.ts';
import { createBuilders } from './gateway.ts';
import { freePort, startProcess } from './process.ts';
import { secretVariables } from './secrets.ts';

/**
 * A running service, on an SQLite file in which alice has one API key, which can be verified, and others.
 * @param env variables beside those that it needs
 * @param others what is told of the others
 */
export async function startKeyService(
  folder: string,
  env: Record<string, string> = {},
  others: readonly Partial<ApiKey>[] = [],
) {
  const port = await freePort();
  const variables = secretVariables();
  const secrets = createSecrets(loadConfig(variables).secrets as SecretKeys);
  const issuer = developmentIssuer({ host: '127.0.0.1', port });
  const config = databaseConfig(`sqlite:${join(folder, 'data', 'keyward.db')}`);
  const createKeys = async () => {
    await using database = await openDatabase(config);
    await migrate(database, config);
    const { createAccount, createVerifiableKey } = createBuilders(database, issuer, secrets);
    const alice = await createAccount('alice');
    const key = await createVerifiableKey(alice);
    const made: (typeof key)[] = [];
    for (const values of others) made.push(await createVerifiableKey(alice, values));
    return { key, others: made };
  };
  const keys = await createKeys();
  const service = await startProcess(folder, { ...variables, ...env, PORT: `${port}` });
  return { service, ...keys, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}
