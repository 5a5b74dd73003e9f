import type { EntityName } from '@mikro-orm/sql';
import { type Compilable, type Kysely, PostgresAdapter } from 'kysely';
import type { Db } from './db.ts';
import { type NamedQuery, nameQuery } from './named-query.ts';
import type { Tables } from './tables.ts';

type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** The entity's property behind a column; a foreign key belongs to the relation that it stands for. */
type PropertyOf<Column> = Column extends `${infer Relation}_id` ? CamelCase<Relation> : CamelCase<Column>;

/** A row in the names of its entity. */
export type EntityRow<Row> = { [Column in keyof Row as PropertyOf<Column> & string]: Row[Column] };

/** Stands in a query for a value that is known when it runs. */
class Parameter {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const parameters = new Proxy({}, { get: (_target, name) => new Parameter(String(name)) });

/** Where a query stands. */
interface Place {
  /** Whether nothing follows it in its transaction. PostgreSQL then gets COMMIT with it, and is waited for once. */
  readonly last?: boolean;
}

/** Runs a query with its values; the rows are data of its entity. */
export type PreparedQuery<Values, Row> = (db: Db, values: Values, place?: Place) => Promise<EntityRow<Row>[]>;

/** Whether a query is built for PostgreSQL, and not for SQLite: the two have different words for a few things. */
export const isForPostgres = (kysely: Kysely<Tables>): boolean =>
  kysely.getExecutor().adapter instanceof PostgresAdapter;

/**
 * A query that is built and compiled once for each sort of database, and run with other values each time.
 * @param entity whose properties the columns of a row become
 * @param build the query; it must use each value as a whole and look into none
 */
export function prepareQuery<Values extends object, Row>(
  entity: EntityName,
  build: (kysely: Kysely<Tables>, values: Values) => Compilable<Row>,
): PreparedQuery<Values, Row> {
  const compiled = new WeakMap<object, NamedQuery>();
  const compile = (kysely: Kysely<Tables>): NamedQuery => {
    const { adapter } = kysely.getExecutor();
    const query = compiled.get(adapter) ?? nameQuery(build(kysely, parameters as Values).compile());
    compiled.set(adapter, query);
    return query;
  };
  return async (db, values, place) => {
    const query = compile(db.kysely);
    const bound = query.parameters.map((value) =>
      value instanceof Parameter ? values[value.name as keyof Values] : value,
    );
    const { sql, name, queryId, query: node } = query;
    const question = { sql, name, queryId, query: node, parameters: bound, last: place?.last };
    return (await db.run(question, entity)) as EntityRow<Row>[];
  };
}

/**
 * Runs a query that is not the same each time, as where a list is in it. One that is, is prepared.
 * @param entity whose properties the columns of a row become
 */
export const runQuery = async <Row>(
  db: Db,
  entity: EntityName,
  query: Compilable<Row>,
): Promise<EntityRow<Row>[]> => (await db.run(query.compile(), entity)) as EntityRow<Row>[];
