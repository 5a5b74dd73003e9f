import { z } from 'zod';
import { reason } from '../accounts/arguments.ts';
import { ensureOperator } from '../accounts/own-account.ts';
import { forUpdate } from '../database/conditions.ts';
import { prepareQuery } from '../database/db.ts';
import { ApiKey } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';
import type { OperationContext } from '../operations/context.ts';
import { change } from '../operations/operation.ts';
import { type ApiKeyRecord, noteEnd, selectRecords } from './own-api-key.ts';
import { type PauseActor, pause } from './pause.ts';

const selectToChange = prepareQuery(ApiKey, (db, { id }: { readonly id: number }) => {
  const key = selectRecords(db).where('api_key.id', '=', id).where('account.erased_at', 'is', null);
  return forUpdate(db, key, 'api_key');
});

/** Makes an operator's change of the pause of an API key of any account. */
export const changeOfPause = (
  run: (context: OperationContext, before: ApiKeyRecord, actor: PauseActor) => Promise<ApiKeyRecord>,
) =>
  change(z.object({ keyId: z.int32(), reason }), async (context, { keyId: id, reason }) => {
    const operatorId = await ensureOperator(context);
    const [before] = await selectToChange(context.db, { id });
    if (!before) throw new GatewayError('NOT_FOUND', 'API key not found');
    noteEnd(context, before);
    return run(context, before, { by: 'operator', reason, operatorId });
  });

/**
 * Pauses an API key of any account: it is refused until an operator resumes it. Takes over the pause of others.
 * @throws {GatewayError} `BAD_USER_INPUT`; `CONFLICT` for an inactive or expired key; `NOT_FOUND`
 */
export const pauseAccountApiKey = changeOfPause(pause);
