import { hash } from 'node:crypto';
import { ensureAccount, ofOwner } from '../accounts/own-account.ts';
import { cleanUp, cleanUpBatch } from '../database/clean-up.ts';
import { isNotErased, tryLock } from '../database/conditions.ts';
import { type Db, prepareQuery } from '../database/db.ts';
import { IdempotencyRecord } from '../database/tables.ts';
import { GatewayError, serviceUnavailable } from '../errors.ts';
import { audited } from '../operations/audited.ts';
import type {
  Answered,
  Idempotency,
  KeyedOperation,
  OperationContext,
  Owner,
} from '../operations/context.ts';
import { notForServers, parseIdempotencyKey, usedForAnother } from '../operations/idempotency-key.ts';
import type { Repeated } from '../repeated.ts';
import { digestRequest, openAnswer, type SealedAnswer, sealAnswer } from './sealed-answer.ts';

/** The time for which an answer is kept, in milliseconds: 24 hours. */
const lifetime = 24 * 60 * 60_000;

/** The limit of kept answers for each account. */
const mostPerAccount = 1000;

const selectRecord = prepareQuery(
  IdempotencyRecord,
  (db, wanted: Owner & { keyDigest: Buffer; since: Date }) =>
    db
      .selectFrom('idempotency_record as record')
      .innerJoin('account', 'account.id', 'record.account_id')
      .where(ofOwner(wanted))
      .where('record.key_digest', '=', wanted.keyDigest)
      .where('record.created_at', '>', wanted.since)
      .select(['record.id', 'record.account_id', 'record.sealed_answer', 'record.pepper_version']),
);

type Claim = Pick<IdempotencyRecord, 'account' | 'keyDigest' | 'createdAt'> & {
  readonly lock: string;
  readonly since: Date;
};

const columns = ['account_id', 'key_digest', 'sealed_answer', 'pepper_version', 'created_at'] as const;

// Inserts nothing if another transaction holds the lock or has inserted the same key first. The answer follows before
// the transaction ends.
const insertRecord = prepareQuery(
  IdempotencyRecord,
  (db, { account, keyDigest, createdAt, lock, since }: Claim) =>
    db
      .insertInto('idempotency_record')
      .columns(columns)
      .expression(
        db
          .selectNoFrom(({ lit, val }) => [
            val(account).as('account_id'),
            val(keyDigest).as('key_digest'),
            val('').as('sealed_answer'),
            lit(0).as('pepper_version'),
            val(createdAt).as('created_at'),
          ])
          .where(tryLock(db, lock)),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'key_digest'])
          .doUpdateSet({ created_at: createdAt })
          // The record has expired and is not deleted yet.
          .where('idempotency_record.created_at', '<=', since),
      )
      .returning(['id', 'account_id']),
);

const countRecords = prepareQuery(IdempotencyRecord, (db, { account }: Pick<IdempotencyRecord, 'account'>) =>
  db
    .selectFrom('idempotency_record')
    .where('account_id', '=', account)
    .select(({ fn }) => fn.countAll<number | string>().as('count')),
);

// Stores no answer for an account that was erased in the meantime, because the operation then ran for another account
// of the same owner.
const updateAnswer = prepareQuery(
  IdempotencyRecord,
  (db, { id, sealedAnswer, pepperVersion }: SealedAnswer) =>
    db
      .updateTable('idempotency_record')
      .set({ sealed_answer: sealedAnswer, pepper_version: pepperVersion })
      .where('id', '=', id)
      .where(isNotErased('idempotency_record'))
      .returning('id'),
);

const deleteRecords = prepareQuery(IdempotencyRecord, (db, { until }: { until: Date }) =>
  db
    .deleteFrom('idempotency_record')
    .where('id', 'in', (records) =>
      records
        .selectFrom('idempotency_record')
        .select('id')
        .where('created_at', '<=', until)
        .orderBy('created_at')
        .limit(cleanUpBatch),
    )
    .returning('id'),
);

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');

/**
 * The key within the owner's account: each server that acts for the account, and each member of an organisation, has
 * keys of its own. No key that a header field can have contains a NUL.
 */
const scopedKey = ({ caller, actingFor, member }: OperationContext, key: string): string =>
  actingFor === undefined && member === undefined ? key : [caller.issuer, caller.subject, key].join('\0');

const stillRunning = () =>
  new GatewayError('CONFLICT', 'The first request with this Idempotency-Key is still running', {
    reason: 'idempotency-key-running',
    headers: { 'retry-after': '1' },
  });

const tooMany = () =>
  new GatewayError(
    'TOO_MANY_REQUESTS',
    `You may use at most ${mostPerAccount} Idempotency-Keys in 24 hours`,
    { reason: 'idempotency-keys', headers: { 'retry-after': '3600' } },
  );

/**
 * Runs an operation once for each Idempotency-Key (draft-ietf-httpapi-idempotency-key-header), and gives each
 * repetition the first answer. The transaction of the change also stores the answer, so neither exists without the
 * other. A failed operation has changed nothing: its error is not kept, and the next request with the same key runs
 * the operation again. Disposal stops the deletion of expired records.
 */
export class IdempotencyRecords implements Idempotency, AsyncDisposable {
  /** The requests that this process is handling, by the owner and the key. */
  readonly #running = new Set<string>();
  readonly #cleanUp: Repeated;

  /** @param onFailure gets the error if expired records could not be deleted; the deletion is tried again later */
  constructor(db: Db, onFailure: (error: unknown) => void) {
    this.#cleanUp = cleanUp(async () => (await deleteRecords(db, { until: begin() })).length, onFailure);
  }

  async runOnce<Result>(
    context: OperationContext,
    operation: KeyedOperation,
    run: (context: OperationContext) => Promise<Result>,
  ): Promise<Answered<Result>> {
    if (context.server !== undefined && context.actingFor === undefined) throw notForServers();
    const key = scopedKey(context, parseIdempotencyKey(operation.key));
    const keyed = { ...operation, key };
    const { issuer, subject, kind } = context.owner;
    const id = JSON.stringify([issuer, subject, kind, key]);
    if (this.#running.has(id)) throw stillRunning();
    const kept = await replay<Result>(context, keyed);
    if (kept) return kept;
    this.#running.add(id);
    try {
      return await audited(context, (inner) => carryOut(inner, keyed, run));
    } finally {
      this.#running.delete(id);
    }
  }

  /** Deletes the expired records. A call during a running deletion joins that deletion. Never rejects. */
  clean(): Promise<void> {
    return this.#cleanUp.run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleanUp[Symbol.asyncDispose]();
  }
}

const begin = () => new Date(Date.now() - lifetime);

/**
 * Finds the earlier answer; undefined if no answer is stored.
 * @throws {GatewayError} `BAD_USER_INPUT` if the key belongs to another request
 */
async function replay<Result>(
  context: OperationContext,
  { key, name, input }: KeyedOperation,
): Promise<Answered<Result> | undefined> {
  const { db, owner, services } = context;
  const keyDigest = sha256(key);
  const [record] = await selectRecord(db, { ...owner, keyDigest, since: begin() });
  if (!record) return undefined;
  const { request, result } = await openAnswer(services.secrets, record, key);
  if (request !== digestRequest(name, input)) throw usedForAnother();
  // Another process may have made the change.
  services.doorGrace?.noteChange({ accountId: record.account });
  return { result: result as Result, isReplayed: true };
}

/** Runs an operation and stores its answer, both in the given transaction. */
async function carryOut<Result>(
  context: OperationContext,
  operation: KeyedOperation,
  run: (context: OperationContext) => Promise<Result>,
): Promise<Answered<Result>> {
  const { db, services } = context;
  const { key, name, input } = operation;
  const account = await ensureAccount(context);
  const [counted] = await countRecords(db, { account });
  if (Number(counted?.count) >= mostPerAccount) throw tooMany();
  const keyDigest = sha256(key);
  const lock = sha256(JSON.stringify([account, key]))
    .readBigInt64BE()
    .toString();
  const claim = { account, keyDigest, createdAt: new Date(), lock, since: begin() };
  const [record] = await insertRecord(db, claim);
  if (!record) return (await replay<Result>(context, operation)) ?? Promise.reject(stillRunning());
  const result = await run(context);
  const answer = { request: digestRequest(name, input), result };
  const [kept] = await updateAnswer(db, await sealAnswer(services.secrets, record, key, answer));
  if (!kept) throw serviceUnavailable('account-changed');
  return { result, isReplayed: false };
}
