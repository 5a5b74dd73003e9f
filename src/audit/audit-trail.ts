import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { z } from 'zod';
import { ensureOperator, findAccount } from '../accounts/own-account.ts';
import { rarely } from '../database/conditions.ts';
import { type Db, isForPostgres, prepareQuery } from '../database/db.ts';
import {
  type Page,
  PageInput,
  type PageRange,
  prepareRange,
  readOldest,
  readPage,
} from '../database/page.ts';
import { AuditEvent, type Tables } from '../database/tables.ts';
import { badUserInput } from '../errors.ts';
import { audited } from '../operations/audited.ts';
import type { OperationContext } from '../operations/context.ts';
import { isInBounds, outOfBounds } from '../operations/input.ts';
import { operation } from '../operations/operation.ts';
import { settledEvents } from './settled-events.ts';

/** Who may have done something, as the events say it. */
const actors = ['self', 'member', 'operator', 'provider', 'key', 'scanner'] as const;

/** The orders of the events. */
const orders = ['newest', 'oldest'] as const;

const timeOf = z.date().refine(isInBounds, outOfBounds).nullish();

/** Names with commas between them, each once: `"a,b"` → `["a", "b"]`. Each is a query of its own, so they are few. */
const actions = z
  .string()
  .regex(/^[a-z-]{1,100}(,[a-z-]{1,100}){0,9}$/, {
    message: 'Must be at most 10 actions such as api-key-created, separated by commas.',
  })
  .transform((text) => [...new Set(text.split(','))]);

const Input = PageInput.safeExtend({
  action: actions.nullish(),
  userId: z.int32().nullish(),
  actor: z
    .string()
    .regex(new RegExp(`^(${actors.join('|')})$`), `Must be one of ${actors.join(', ')}.`)
    .nullish(),
  keyId: z.int32().nullish(),
  from: timeOf,
  to: timeOf,
  order: z.enum(orders).nullish(),
}).refine(({ order, last, before }) => order !== 'oldest' || (last == null && before == null), {
  path: ['order'],
  message: 'Must be omitted with last or before.',
});

type Wanted = z.output<typeof Input>;

/** A filter of the events, without the ranges of ids and times. */
interface Filter {
  readonly user: number;
  readonly actor: string;
  readonly key: number;
  readonly action: string;
  readonly from: Date;
  readonly to: Date;
}

type Name = keyof Filter | 'self';

/**
 * Tells SQLite, which has no statistics, which index to use: that of the condition that mostly leaves the fewest
 * events, and no other. PostgreSQL knows better.
 */
const choose = (db: Kysely<Tables>, column: string, isBest: boolean): RawBuilder<unknown> => {
  const ref = sql.ref(`audit_event.${column}`);
  return isForPostgres(db) || isBest ? ref : sql`+${ref}`;
};

type Condition = (column: (name: string) => RawBuilder<unknown>, filter: Filter) => RawBuilder<SqlBool>;

/** The conditions: those that mostly leave the fewest events come first. */
const conditions: Readonly<Record<Name, Condition>> = {
  // Endpoints have ids too.
  key: (column, { key }) =>
    sql`${column('target')} = ${key} and ${sql.ref('audit_event.action')} not like 'webhook-%'`,
  user: (column, { user }) => sql`${column('account_id')} = ${user}`,
  action: (column, { action }) => sql`${column('action')} = ${action}`,
  actor: (column, { actor }) => sql`${column('actor')} = ${actor}`,
  self: (column) => sql`${column('actor')} is null`,
  from: (column, { from }) => sql`${column('created_at')} >= ${from}`,
  to: (column, { to }) => sql`${column('created_at')} <= ${to}`,
};

/** Those whose events an index finds. The ids of the range bound the times. */
const indexed: ReadonlySet<Name> = new Set(['key', 'user', 'action', 'actor']);

/** Whether an index has both conditions. */
const areTogether = (one: Name | undefined, other: Name): boolean => one === 'user' && other === 'action';

function conditionOf(db: Kysely<Tables>, filter: Filter, name: Name, names: readonly Name[]) {
  const best = names.find((each) => indexed.has(each));
  const isBest = name === best || areTogether(best, name);
  const condition = conditions[name]((column) => choose(db, column, isBest), filter);
  return isBest ? rarely(db, condition) : condition;
}

type Select = ReturnType<typeof prepareRange<Filter, AuditEvent>>;

const prepared = new Map<string, Select>();

/** Prepares a query of its own for each choice of conditions, so that each uses its index. */
function selectBy(names: readonly Name[]): Select {
  const key = names.join();
  const found =
    prepared.get(key) ??
    (prepareRange(AuditEvent, 'audit_event', (db, filter: Filter) =>
      names.reduce(
        (events, name) => events.where(conditionOf(db, filter, name, names)),
        db.selectFrom('audit_event').selectAll(),
      ),
    ) as unknown as Select);
  prepared.set(key, found);
  return found;
}

/** By how much the clocks of two nodes may differ, in milliseconds: an hour. */
const skew = 3_600_000;

const prepareNear = (comparison: '<' | '>', order: 'asc' | 'desc') =>
  prepareQuery(AuditEvent, (db, { moment }: { readonly moment: Date }) =>
    db
      .selectFrom('audit_event')
      .select('id')
      .where('created_at', comparison, moment)
      .orderBy('created_at', order)
      .limit(sql.lit(1)),
  );

const selectBefore = prepareNear('<', 'desc');
const selectAfter = prepareNear('>', 'asc');

/** The ids between which all events of a time are, and few others: those of events an hour before it and after it. */
async function idsOf(db: Db, { from, to }: Pick<Wanted, 'from' | 'to'>) {
  const [before] = from ? await selectBefore(db, { moment: new Date(from.getTime() - skew) }) : [];
  const [after] = to ? await selectAfter(db, { moment: new Date(to.getTime() + skew) }) : [];
  return { floor: before?.id ?? 0, ceiling: after ? after.id - 1 : Number.POSITIVE_INFINITY };
}

/** Makes what reads the wanted events of a range of ids. */
function readerOf(db: Db, { action, userId, actor, keyId, from, to }: Wanted) {
  const names = [
    keyId != null && 'key',
    userId != null && 'user',
    action != null && 'action',
    actor != null && (actor === 'self' ? 'self' : 'actor'),
    from != null && 'from',
    to != null && 'to',
  ] as const;
  const select = selectBy(names.filter((name) => name !== false));
  const filter = {
    user: userId ?? 0,
    actor: actor ?? '',
    key: keyId ?? 0,
    action: '',
    from: from ?? new Date(0),
    to: to ?? new Date(0),
  };
  const bounds = idsOf(db, { from, to });
  return async ({ floor, ceiling, limit }: PageRange, order: 'asc' | 'desc'): Promise<AuditEvent[]> => {
    const ofTime = await bounds;
    const range = {
      floor: Math.max(floor, ofTime.floor),
      ceiling: Math.min(ceiling, ofTime.ceiling),
      limit,
    };
    const found: unknown[] = [];
    for (const each of action ?? [''])
      found.push(...(await select[order](db, { ...filter, ...range, action: each })));
    // Each action has a list of its own.
    const sign = order === 'asc' ? 1 : -1;
    return (found as AuditEvent[]).sort((one, other) => sign * (one.id - other.id)).slice(0, limit);
  };
}

/** What was read, for the record of it: the filter in REST's names. */
const filterOf = ({ action, userId, actor, keyId, from, to, order }: Wanted) =>
  Object.fromEntries(
    Object.entries({ action, user_id: userId, actor, key_id: keyId, from, to, order }).filter(
      ([, value]) => value != null,
    ),
  );

/** Records who has read how many events, with which filter. A server has no trail of its own: then only the log has it. */
async function recordReading(context: OperationContext, wanted: Wanted, count: number): Promise<void> {
  const filter = filterOf(wanted);
  const changes = [
    ...Object.entries(filter).map(([field, to]) => ({ field, from: null, to })),
    { field: 'count', from: null, to: count },
  ];
  await audited(context, async (inner) => {
    const accountId = await ensureOperator(inner);
    inner.events('audit-trail-read', { accountId, operatorId: accountId, filter, count }, changes);
  });
}

/** The id up to which events are read: for an answer of many pages, that of its beginning. */
async function lastFor({ db, stream }: OperationContext): Promise<number> {
  const last = stream?.last ?? (await settledEvents(db));
  if (stream) stream.last = last;
  return last;
}

/**
 * Reads a page of the audit events of all accounts, for operators and auditors. In the order `oldest`, the page ends
 * before events that are not complete yet, so whoever goes on from its `endCursor` gets each event exactly once.
 *
 * Reading is recorded once for each answer, however many pages it has.
 * @throws {GatewayError} `BAD_USER_INPUT`; `FORBIDDEN` if the reader's account is blocked
 */
export const auditTrail = operation(Input, async (context, wanted): Promise<Page<AuditEvent>> => {
  const { db, stream } = context;
  if (stream && wanted.order === 'newest')
    throw badUserInput([
      { path: ['order'], message: 'Must be oldest or omitted in this format.', type: 'value_error' },
    ]);
  await findAccount(context);
  const read = readerOf(db, wanted);
  const page =
    wanted.order === 'oldest' || stream
      ? await readOldest(wanted, await lastFor(context), read)
      : await readPage(wanted, read);
  if (!stream) await recordReading(context, wanted, page.edges.length);
  else stream.onEnd ??= () => recordReading(context, wanted, stream.count);
  return page;
});
