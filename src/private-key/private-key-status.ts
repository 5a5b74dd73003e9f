import { findAccount } from '../accounts/find-account.ts';
import type { OperationContext } from '../operation.ts';
import { PrivateKey } from './private-key.entity.ts';

/** Whether a private key is registered, and since when. Never the key. */
export interface PrivateKeyStatus {
  readonly hasKey: boolean;
  readonly createdAt: Date | null;
  readonly updatedAt: Date | null;
}

const noKey: PrivateKeyStatus = { hasKey: false, createdAt: null, updatedAt: null };

/** The status of the caller's private key; the sealed key itself is not even read. */
export async function privateKeyStatus(context: OperationContext): Promise<PrivateKeyStatus> {
  const account = await findAccount(context);
  if (account === undefined) return noKey;
  const fields = ['createdAt', 'updatedAt'] as const;
  const privateKey = await context.em.findOne(PrivateKey, { account }, { fields });
  if (!privateKey) return noKey;
  return { hasKey: true, createdAt: privateKey.createdAt, updatedAt: privateKey.updatedAt };
}
