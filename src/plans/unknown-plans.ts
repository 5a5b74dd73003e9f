import { sql } from 'kysely';
import { type Db, prepareQuery } from '../database/db.ts';
import { Account } from '../database/tables.ts';
import type { Plans } from '../operations/context.ts';
import { Repeated } from '../repeated.ts';

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

/**
 * Counts the accounts whose plan is not among the plans, at each run and every hour; `count` is the last count.
 * @param onCount called when the number changes, and at the first count if it is above 0
 */
export function watchUnknown(
  db: Db,
  plans: Plans,
  onCount: (count: number) => void,
  onFailure: (error: unknown) => void,
): Repeated & { readonly count: number } {
  const count = async (): Promise<void> => {
    const found = await countUnknown(db, plans);
    if (found !== watch.count) onCount(found);
    watch.count = found;
  };
  const watch = Object.assign(new Repeated(interval, count, onFailure), { count: 0 });
  return watch;
}
