import { randomBytes } from 'node:crypto';
import type { Database } from '../../src/database/database.ts';
import type { AccountId } from '../../src/database/tables.ts';
import type { Secrets } from '../../src/secrets/secrets.ts';
import { createBuilders } from './gateway.ts';

/** An API key with a sealed copy, as `createApiKey` keeps one. */
export async function createSealedKey(database: Database, secrets: Secrets, accountId: AccountId) {
  const builders = createBuilders(database, 'https://id.example.com', secrets);
  const key = await builders.createVerifiableKey(accountId);
  const { jwe, version } = await secrets.sealer.seal(Buffer.from(key.secret), {
    purpose: 'api-key',
    accountId,
    rowId: key.id,
  });
  await database.em
    .fork()
    .execute('update api_key set encrypted_key = ?, encryption_version = ? where id = ?', [
      jwe,
      version,
      key.id,
    ]);
  return key;
}

/** The private key of an account, sealed. */
export async function createPrivateKey(database: Database, secrets: Secrets, accountId: AccountId) {
  const { createPrivateKey: insert } = createBuilders(database, 'https://id.example.com', secrets);
  const rowId = await insert(accountId);
  const plaintext = randomBytes(32);
  const { jwe } = await secrets.sealer.seal(plaintext, { purpose: 'private-key', accountId, rowId });
  await database.em.fork().execute('update private_key set sealed_key = ? where id = ?', [jwe, rowId]);
  return { accountId, rowId, plaintext };
}
