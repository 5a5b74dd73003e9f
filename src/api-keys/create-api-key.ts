import { z } from 'zod';
import { ensureAccount } from '../accounts/ensure-account.ts';
import { lockAccount } from '../accounts/lock-account.ts';
import { audited } from '../audit/audited.ts';
import { prepareQuery } from '../database/prepare-query.ts';
import { ApiKey } from '../database/tables.ts';
import { type OperationContext, parseInput } from '../operation.ts';
import { apiKeyName } from './api-key-name.ts';
import { createApiKeySecret, keyPrefixOf } from './api-key-secret.ts';
import { type NewApiKey, sealSecret, storeSecret } from './store-secret.ts';

/** The input of {@link createApiKey}. */
export const CreateApiKeyInput = z.object({
  name: apiKeyName.optional(),
  expiresAt: z
    .date()
    .refine((moment) => moment > new Date(), {
      message: 'Must lie in the future.',
      params: { type: 'datetime_future' },
    })
    .nullish(),
});

type NewRow = Pick<ApiKey, 'account' | 'keyPrefix' | 'name' | 'expiresAt' | 'createdAt'>;

const insertApiKey = prepareQuery(ApiKey, (db, { account, keyPrefix, name, expiresAt, createdAt }: NewRow) =>
  db
    .insertInto('api_key')
    .values(({ exists, not, selectFrom }) => ({
      account_id: account,
      key_prefix: keyPrefix,
      name,
      is_active: true,
      is_default: not(
        exists(selectFrom('api_key').select('id').where('account_id', '=', account)),
      ).$castTo<boolean>(),
      encryption_version: 1,
      created_at: createdAt,
      expires_at: expiresAt,
    }))
    .returningAll(),
);

const updateSealed = prepareQuery(
  ApiKey,
  (db, { id, encryptedKey, encryptionVersion }: Pick<ApiKey, 'id' | 'encryptedKey' | 'encryptionVersion'>) =>
    db
      .updateTable('api_key')
      .set({ encrypted_key: encryptedKey, encryption_version: encryptionVersion })
      .where('id', '=', id),
);

/**
 * Creates an API key for the caller, and their account where there is none. The first key of an account becomes its
 * default.
 * @returns the key with its secret, which can be read here and nowhere else
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export async function createApiKey(
  context: OperationContext,
  input: z.input<typeof CreateApiKeyInput>,
): Promise<NewApiKey> {
  const { name = null, expiresAt = null } = parseInput(CreateApiKeyInput, input);
  const key = createApiKeySecret();
  return audited(context, async (inner) => {
    const account = await ensureAccount(inner);
    // Of several first keys at once, one is the first.
    await lockAccount(inner.db, account);
    const values = { account, keyPrefix: keyPrefixOf(key), name, expiresAt, createdAt: new Date() };
    const [row] = (await insertApiKey(inner.db, values)) as [ApiKey];
    await storeSecret(inner, row.id, key);
    // The seal names the row, so the row comes first.
    const sealed = await sealSecret(inner, row, key);
    if (sealed.encryptedKey !== null) await updateSealed(inner.db, { id: row.id, ...sealed });
    inner.events('api-key-created', { accountId: account, keyId: row.id });
    return { ...row, ...sealed, key };
  });
}
