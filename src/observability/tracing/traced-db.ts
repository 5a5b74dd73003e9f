import type { EntityName, SqlEntityManager } from '@mikro-orm/sql';
import { type Attributes, type Context, SpanKind, type Tracer } from '@opentelemetry/api';
import type { CompiledQuery, Kysely } from 'kysely';
import { Db } from '../../database/db.ts';
import type { Tables } from '../../database/tables.ts';
import { beginSpan, inSpan } from './in-span.ts';

/** What a span says of a query. */
interface QueryDescription {
  /** What it does, to which tables: `SELECT account api_key`. */
  readonly summary: string;
  readonly attributes: Attributes;
}

/**
 * Describes queries by OpenTelemetry's conventions for databases. Of the text no more is kept than its first word and
 * its tables; values never stand in it.
 * @param system the database, in OpenTelemetry's words
 */
export function createQueryDescriptions(system: string): (sql: string) => QueryDescription {
  // As many as there are queries in the source: each is compiled once.
  const known = new Map<string, QueryDescription>();
  return (sql) => {
    const description = known.get(sql) ?? describe(sql, system);
    known.set(sql, description);
    return description;
  };
}

const describe = (sql: string, system: string): QueryDescription => {
  const operation = /^\w+/.exec(sql)?.[0].toUpperCase() ?? 'QUERY';
  const named = sql.matchAll(/\b(?:from|join|into|update)\s+["`](\w+)["`]/gi);
  const [table, ...others] = new Set([...named].map(([, name]) => name));
  const summary = [operation, table, ...others].join(' ').trimEnd();
  return {
    summary,
    attributes: {
      'db.system.name': system,
      'db.operation.name': operation,
      'db.query.summary': summary,
      ...(table && others.length === 0 && { 'db.collection.name': table }),
    },
  };
};

/** How the queries of a database are traced. */
export interface QueryTracing {
  readonly tracer: Tracer;
  /** The database, in OpenTelemetry's words. */
  readonly system: string;
  readonly describe: (sql: string) => QueryDescription;
}

/** The database, each query and each transaction in a span below another. */
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
