import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { expect } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { databaseConfig, inTransaction, writerOf } from './database.ts';

/** What a transaction does, one after the other. `passOver`: it goes on where that fails. */
type Step =
  | { readonly kind: 'add'; readonly name: number; readonly passOver: boolean }
  | { readonly kind: 'increment' }
  | { readonly kind: 'wait'; readonly forWhat: 'a microtask' | 'a turn' | 'a timer' }
  | { readonly kind: 'throw' }
  | { readonly kind: 'overfill'; readonly passOver: boolean };

/** Somebody who begins a transaction, some turns of the event loop after the first; or a single statement. */
interface Caller {
  readonly after: number;
  readonly steps: readonly Step[] | 'a single statement';
}

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('add'),
      name: fc.integer({ min: 0, max: 400 }),
      passOver: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('increment') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait'),
      forWhat: fc.constantFrom('a microtask', 'a turn', 'a timer'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('throw') }) },
);
const overfill: fc.Arbitrary<Step> = fc.record({ kind: fc.constant('overfill'), passOver: fc.boolean() });

/** Callers of a database: from one to so many that they do not go into one group. */
export const callers = ({ overfills }: { readonly overfills: boolean }): fc.Arbitrary<Caller[]> =>
  fc.array(
    fc.record({
      after: fc.nat({ max: 3 }),
      steps: fc.oneof(
        {
          weight: 5,
          arbitrary: fc.array(overfills ? fc.oneof({ weight: 30, arbitrary: step }, overfill) : step, {
            minLength: 1,
            maxLength: 5,
          }),
        },
        { weight: 1, arbitrary: fc.constant('a single statement' as const) },
      ),
    }),
    { minLength: 1, maxLength: 160, size: 'max' },
  );

/** What came of a transaction. */
interface Outcome {
  readonly caller: number;
  /** Undefined where it was committed. */
  readonly error: Error | undefined;
  /** The names that it added. */
  readonly names: readonly number[];
  /** What it found in the counter each time that it went up. */
  readonly counted: readonly number[];
}

/** Thrown by a transaction that has enough. */
class Enough extends Error {}

/** More than there is room for. */
const muchText = 'hex(zeroblob(1000000))';

/** A database of its own in a file, with little room in it, which random transactions change. */
export class RandomTransactions implements AsyncDisposable {
  readonly #database: Database;
  /** A connection of somebody else, who sees what is committed. */
  readonly #witness: Sqlite.Database;

  private constructor(database: Database, file: string) {
    this.#database = database;
    this.#witness = new Sqlite(file, { readonly: true });
  }

  static async open(file: string): Promise<RandomTransactions> {
    const database = await openDatabase(databaseConfig(`sqlite:${file}`));
    const em = database.em.fork();
    await em.execute('create table added (caller integer, name integer unique, text text)');
    await em.execute('create table counter (value integer)');
    return new RandomTransactions(database, file);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#witness.close();
    await this.#database[Symbol.asyncDispose]();
  }

  /**
   * Lets callers run their transactions on the empty database, and compares what came of them with what is there.
   * @param disturb what else happens meanwhile
   */
  async check(callers: readonly Caller[], disturb?: () => Promise<void>): Promise<readonly Outcome[]> {
    this.#empty();
    const [outcomes] = await Promise.all([
      Promise.all(callers.map((caller, index) => this.#run(caller, index))),
      disturb?.(),
    ]);
    const committed = outcomes.filter(({ error }) => error === undefined);
    expect(this.#ask('select name from added order by name')).toEqual(
      committed.flatMap(({ names }) => names).sort((a, b) => a - b),
    );
    // Nobody saw what was undone later, and no two saw the same.
    const counted = committed.flatMap((outcome) => outcome.counted).sort((a, b) => a - b);
    expect(counted).toEqual(counted.map((_, index) => index));
    expect(this.#ask('select value from counter')).toEqual([counted.length]);
    expect(this.#ask('pragma integrity_check')).toEqual(['ok']);
    return outcomes;
  }

  #empty(): void {
    const writer = writerOf(this.#database);
    writer.pragma('max_page_count = 1000000');
    writer.exec('delete from added; delete from counter; insert into counter values (0)');
    writer.pragma(`max_page_count = ${Number(writer.pragma('page_count', { simple: true })) + 40}`);
  }

  async #run({ after, steps }: Caller, caller: number): Promise<Outcome> {
    for (let passed = 0; passed < after; passed += 1) await turn();
    const names: number[] = [];
    const counted: number[] = [];
    let error: Error | undefined;
    try {
      if (steps === 'a single statement') counted.push(await this.#countAlone());
      else
        await inTransaction(this.#database, async (execute) => {
          for (const each of steps) await take(each, { caller, execute, names, counted });
        });
    } catch (cause) {
      error = cause as Error;
    }
    // Whoever is answered can rely on it from that moment on.
    const visible = this.#ask(`select name from added where caller = ${caller} order by name`);
    expect(visible).toEqual(error ? [] : names.toSorted((a, b) => a - b));
    return { caller, error, names, counted };
  }

  async #countAlone(): Promise<number> {
    const em = this.#database.em.fork();
    const [row] = await em.execute('update counter set value = value + 1 returning value');
    return Number(row?.['value']) - 1;
  }

  #ask(sql: string): unknown[] {
    return this.#witness.prepare(sql).pluck().all();
  }
}

interface Transaction {
  readonly caller: number;
  readonly execute: (statement: string) => Promise<object[]>;
  readonly names: number[];
  readonly counted: number[];
}

const waits = { 'a microtask': async () => {}, 'a turn': () => turn(), 'a timer': () => delay(1) };

async function take(step: Step, { caller, execute, names, counted }: Transaction): Promise<void> {
  if (step.kind === 'throw') throw new Enough();
  if (step.kind === 'wait') return void (await waits[step.forWhat]());
  if (step.kind === 'increment') {
    const [row] = await execute('select value from counter');
    const { value } = row as { value: number };
    await execute(`update counter set value = ${value + 1}`);
    counted.push(value);
    return;
  }
  const isAdd = step.kind === 'add';
  const values = isAdd ? `${caller}, ${step.name}, ''` : `${caller}, null, ${muchText}`;
  const added = execute(`insert into added (caller, name, text) values (${values})`);
  const done = await (step.passOver
    ? added.then(
        () => true,
        () => false,
      )
    : added);
  if (isAdd && done) names.push(step.name);
}

/** Why a transaction failed, in a word. */
export const reasonOf = ({ error }: Pick<Outcome, 'error'>): string | undefined => {
  if (error === undefined) return undefined;
  return error instanceof Enough ? 'enough' : ((error as { code?: string }).code ?? String(error));
};
