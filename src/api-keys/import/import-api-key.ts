import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { z } from 'zod';
import { assertNotErased } from '../../accounts/account-record.ts';
import { lockAccount } from '../../accounts/locks.ts';
import { ensureNamedAccount, holderOf, named, namesOne } from '../../accounts/named-account.ts';
import { findAccount } from '../../accounts/own-account.ts';
import { GatewayError } from '../../errors.ts';
import { audited } from '../../operations/audited.ts';
import { changesOf } from '../../operations/changes.ts';
import type { OperationContext } from '../../operations/context.ts';
import { operation } from '../../operations/operation.ts';
import { isApiKeySecret } from '../api-key-secret.ts';
import { assertSize, changedParts, keyParts, noParts, storedParts } from '../key-parts.ts';
import { noPause } from '../pause.ts';
import { formOf, hashWhole, longestPrefix, longestSecret, wholeKey } from '../verify/imported-keys.ts';
import { findKeyOf, type KeyLine, writeKeys } from './import-keys.ts';
import { hidesEnough, leastHidden, past, visible } from './key-text.ts';

/** An API key of another service, after its import. */
export interface ImportedApiKey {
  readonly keyId: number;
  readonly account: number;
  /** Whether this call has imported it; false if it was here before. */
  readonly isNew: boolean;
}

/** The number of attempts, because another import may bring the same key at the same time. */
const attempts = 3;

/** The error for a text of our form that is no key here: its secret may have been replaced, or its key deleted. */
const hasEnded = () =>
  new GatewayError(
    'CONFLICT',
    'The key has the form of a key that was made here, and has ended if it is one',
  );

const belongsToAnother = () => new GatewayError('CONFLICT', 'The key belongs to another account');

/**
 * Imports an API key of another service, for a person whom an identity provider knows; creates the account if it is
 * missing. It is for keys whose stored form Keyward cannot look up, such as bcrypt: the provider's server checks such a
 * key once against the old form, and then brings it here. A repetition changes nothing, even if the key has ended since.
 * The provider decides that the key works, so neither the account's number of keys nor its longest lifetime applies.
 * @throws {GatewayError} `BAD_USER_INPUT`, also for an issuer that is not trusted; `CONFLICT` if the key belongs to
 *   another account, was made here and has ended, or if the account was erased; `FORBIDDEN` if the caller is blocked
 */
export const importApiKey = operation(
  (settings) =>
    z
      .object({
        ...named,
        ...keyParts(settings),
        key: visible(longestSecret),
        keyPrefix: visible(longestPrefix),
        createdAt: past(z.date()).nullish(),
      })
      .refine(...namesOne)
      .refine(({ key, keyPrefix }) => key.startsWith(keyPrefix), {
        path: ['keyPrefix'],
        message: 'Must be the beginning of the key.',
      })
      .refine(({ key, keyPrefix }) => hidesEnough(key, keyPrefix), {
        path: ['key'],
        message: `Must have at least ${leastHidden} characters more than its prefix.`,
      }),
  async (context, given): Promise<ImportedApiKey> => {
    const { issuer, subject, organization, key, keyPrefix, createdAt, ...parts } = given;
    assertSize(storedParts(parts, noParts));
    await findAccount(context);
    return bring(context, {
      ...{
        number: 1,
        ...holderOf({ issuer, subject, organization }),
        keyPrefix,
        parts,
        isActive: true,
        ...noPause,
        plan: null,
        secret: key,
      },
      createdAt: createdAt ?? new Date(),
      imported: hashWhole(key),
      form: formOf(keyPrefix, wholeKey),
    });
  },
);

/** Imports a key, unless it is here. */
async function bring(context: OperationContext, line: KeyLine): Promise<ImportedApiKey> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await audited(context, (inner) => bringOnce(inner, line));
    } catch (error) {
      if (!(error instanceof UniqueConstraintViolationException) || attempt === attempts) throw error;
    }
  }
}

/** @param context the context of a transaction */
async function bringOnce(context: OperationContext, line: KeyLine): Promise<ImportedApiKey> {
  const { db, events, services } = context;
  const account = await ensureNamedAccount(context, line);
  // Of several calls with the same key, only one must find it missing.
  const stored = await lockAccount(db, account);
  if (stored) assertNotErased(stored);
  const destination = { db, secrets: services.secrets, settings: services.settings };
  const found = await findKeyOf(destination, line);
  if (!found.fresh) {
    if (found.isForeign) throw belongsToAnother();
    return { keyId: found.id, account, isNew: false };
  }
  if (isApiKeySecret(line.secret ?? '')) throw hasEnded();
  const [made] = await writeKeys(destination, [found.fresh]);
  if (!made) throw new Error('The import has made no key');
  const { quota = null } = line.parts;
  const changes = [
    ...changedParts(noParts, storedParts(line.parts, noParts)),
    ...changesOf({ quota: null }, { quota }),
  ];
  events('api-key-created', { accountId: account, keyId: made.id, isProvider: true }, changes);
  return { keyId: made.id, account, isNew: true };
}
