import { sql } from 'kysely';
import { type Db, prepareQuery } from '../database/db.ts';
import { Account } from '../database/tables.ts';
import type { Plans } from '../operations/context.ts';

/** The interval between two counts, in milliseconds. */
const interval = 60 * 60_000;

// Goes from name to name along the index: a million accounts with three plans are three steps.
const selectNames = prepareQuery(Account, (db, _: object) =>
  db
    .withRecursive('names(name)', (with_) =>
      with_
        .selectFrom('account')
        .where('plan', 'is not', null)
        .select(({ fn }) => fn.min('plan').as('name'))
        .unionAll((eb) =>
          eb
            .selectFrom('names')
            .where('names.name', 'is not', null)
            .select(({ selectFrom }) =>
              selectFrom('account')
                .where('plan', 'is not', null)
                .whereRef('plan', '>', 'names.name')
                .select(({ fn }) => fn.min('plan').as('next'))
                .$asScalar()
                .as('name'),
            ),
        ),
    )
    .selectFrom('names')
    .where('names.name', 'is not', null)
    .select(sql<string>`names.name`.as('plan')),
);

const countOf = prepareQuery(Account, (db, { plan }: { readonly plan: string }) =>
  db
    .selectFrom('account')
    .where('plan', '=', plan)
    .select(({ cast, fn }) => cast<number>(fn.countAll(), 'integer').as('count')),
);

/** Counts the accounts whose plan is not among the plans: they have the default plan. */
export async function countUnknown(db: Db, plans: Plans): Promise<number> {
  const names = (await selectNames(db, {})).flatMap(({ plan }) => plan ?? []);
  const counts = await Promise.all(
    names.filter((plan) => !plans.grants.has(plan)).map((plan) => countOf(db, { plan })),
  );
  return counts.reduce((sum, [row]) => sum + (row?.count ?? 0), 0);
}

/** Receives the results of the counts. */
interface Listener {
  /** Called when the number changes, and at the first count if it is above 0. */
  readonly onCount: (count: number) => void;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Counts the accounts whose plan is not among the plans, every hour. Disposing of the result ends this.
 * @returns the last count, and a function that counts now
 */
export function watchUnknownPlans(db: Db, plans: Plans, { onCount, onFailure }: Listener) {
  const watch = {
    /** The last count. */
    count: 0,
    /** Counts now. The promise never rejects. */
    read: async (): Promise<void> => {
      try {
        const count = await countUnknown(db, plans);
        if (count !== watch.count) onCount(count);
        watch.count = count;
      } catch (error) {
        onFailure(error);
      }
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
  const timer = setInterval(() => void watch.read(), interval).unref();
  return watch;
}
