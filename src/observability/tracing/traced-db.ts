import type { EntityName, SqlEntityManager } from '@mikro-orm/sql';
import { type Context, SpanKind, type Tracer } from '@opentelemetry/api';
import type { CompiledQuery, Kysely } from 'kysely';
import { Db } from '../../database/db.ts';
import type { Tables } from '../../database/tables.ts';
import { beginSpan, inSpan } from './in-span.ts';

/** The span name and attributes of a query. */
type QueryDescription = ReturnType<typeof describe>;

/**
 * Makes a function that describes queries by OpenTelemetry's conventions for databases. The description keeps only
 * the first word and the tables of the SQL text; the text never contains values.
 * @param system the database's name in OpenTelemetry's conventions
 */
export function createQueryDescriptions(system: string): (sql: string) => QueryDescription {
  // The map stays as small as the number of queries in the source, because each query is compiled once.
  const known = new Map<string, QueryDescription>();
  return (sql) => {
    const description = known.get(sql) ?? describe(sql, system);
    known.set(sql, description);
    return description;
  };
}

const describe = (sql: string, system: string) => {
  const operation = /^\w+/.exec(sql)?.[0].toUpperCase() ?? 'QUERY';
  const named = sql.matchAll(/\b(?:from|join|into|update)\s+["`](\w+)["`]/gi);
  const [table, ...others] = new Set([...named].map(([, name]) => name));
  const summary = [operation, table, ...others].join(' ').trimEnd();
  return {
    /** The query's first word and its tables: `SELECT account api_key`. */
    summary,
    attributes: {
      'db.system.name': system,
      'db.operation.name': operation,
      'db.query.summary': summary,
      ...(table && others.length === 0 && { 'db.collection.name': table }),
    },
  };
};

/** The tracing of a database's queries. */
export interface QueryTracing {
  readonly tracer: Tracer;
  /** The database's name in OpenTelemetry's conventions. */
  readonly system: string;
  readonly describe: (sql: string) => QueryDescription;
}

/** A database that puts each query and each transaction into a child span. */
export class TracedDb extends Db {
  readonly #tracing: QueryTracing;
  readonly #parent: Context;

  constructor(
    em: SqlEntityManager,
    tracing: QueryTracing,
    parent: Context,
    deadline?: number,
    kysely?: Kysely<Tables>,
  ) {
    super(em, kysely, deadline);
    this.#tracing = tracing;
    this.#parent = parent;
  }

  override until(deadline: number): Db {
    return new TracedDb(this.em, this.#tracing, this.#parent, deadline, this.kysely);
  }

  override run(query: CompiledQuery, entity: EntityName): Promise<object[]> {
    const { tracer, describe } = this.#tracing;
    const { summary, attributes } = describe(query.sql);
    const within = beginSpan(tracer, summary, { kind: SpanKind.CLIENT, attributes }, this.#parent);
    return inSpan(within, () => super.run(query, entity));
  }

  override transaction<Result>(run: (db: Db) => Promise<Result>): Promise<Result> {
    const { tracer, system } = this.#tracing;
    const options = { attributes: { 'db.system.name': system, 'db.operation.name': 'TRANSACTION' } };
    return inSpan(beginSpan(tracer, 'TRANSACTION', options, this.#parent), ({ context }) =>
      super.transaction(({ kysely }) =>
        run(new TracedDb(this.em, this.#tracing, context, this.deadline, kysely)),
      ),
    );
  }
}
