import { z } from 'zod';
import { ensureAccount } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { type AccountId, PrivateKey } from '../database/tables.ts';
import { audited } from '../operations/audited.ts';
import type { OperationContext } from '../operations/context.ts';
import { operation } from '../operations/operation.ts';
import type { Sealed } from '../secrets/sealer.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { PrivateKeyStatus } from './private-key-status.ts';

/** The order of secp256k1's group (SEC 2, section 2.4.1). A private key is greater than 0 and less than this order. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const shape = /^(?:0x)?([\da-fA-F]{64})$/;

const isPrivateKey = (text: string): boolean => {
  const [, digits] = shape.exec(text) ?? [];
  const value = BigInt(`0x${digits ?? '0'}`);
  return value > 0n && value < order;
};

/**
 * The input of {@link registerPrivateKey}: a private key of secp256k1, in hexadecimal digits. The service stores the
 * text unchanged.
 */
const RegisterPrivateKeyInput = z.object({
  privateKey: z
    .string()
    .refine(isPrivateKey, {
      message: 'Must be a private key: 64 hexadecimal digits, with or without a leading 0x.',
      params: { type: 'string_pattern_mismatch' },
    })
    .meta({ pattern: shape.source, writeOnly: true }),
});

/** Inserts an empty row if the account has no private key yet. The same transaction fills the row. */
const insertRow = prepareQuery(PrivateKey, (db, { account, now }: { account: AccountId; now: Date }) =>
  db
    .insertInto('private_key')
    .values({ account_id: account, sealed_key: '', created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .returning('id'),
);

const selectRow = prepareQuery(PrivateKey, (db, { account }: { account: AccountId }) =>
  db.selectFrom('private_key').select('id').where('account_id', '=', account),
);

interface Replacement extends Sealed {
  readonly id: number;
  readonly fingerprint: string;
  readonly now: Date;
}

const updateRow = prepareQuery(PrivateKey, (db, { id, jwe, version, fingerprint, now }: Replacement) =>
  db
    .updateTable('private_key')
    .set({ sealed_key: jwe, encryption_version: version, fingerprint, updated_at: now })
    .where('id', '=', id)
    .returning(['fingerprint', 'created_at', 'updated_at']),
);

/**
 * Stores the caller's private key, sealed. It replaces an earlier private key.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export const registerPrivateKey = operation(
  RegisterPrivateKeyInput,
  async (context, { privateKey }): Promise<PrivateKeyStatus> => {
    const fingerprint = await fingerprintOf(privateKey);
    return audited(context, async (inner) => {
      const account = await ensureAccount(inner);
      const sealed = await store(inner, account, { privateKey, fingerprint });
      inner.events('private-key-registered', { accountId: account });
      return sealed;
    });
  },
);

async function store(
  context: OperationContext,
  account: AccountId,
  given: { readonly privateKey: string; readonly fingerprint: string },
): Promise<PrivateKeyStatus> {
  const { db, services } = context;
  const now = new Date();
  const [row = (await insertRow(db, { account, now }))[0]] = await selectRow(db, { account });
  // Another registration or a removal came first.
  if (!row) return store(context, account, given);
  const binding = { purpose: 'private-key', accountId: account, rowId: row.id } as const;
  const sealed = await services.secrets.sealer.seal(Buffer.from(given.privateKey), binding);
  const [stored] = await updateRow(db, { id: row.id, ...sealed, fingerprint: given.fingerprint, now });
  if (!stored) return store(context, account, given);
  return { account, hasKey: true, ...stored };
}
