import type { EntityName, SqlEntityManager } from '@mikro-orm/sql';
import { type Context, SpanKind, type Tracer } from '@opentelemetry/api';
import type { CompiledQuery, Kysely } from 'kysely';
import { Db } from '../../database/db.ts';
import type { Tables } from '../../database/tables.ts';
import type { QueryDescription } from './describe-query.ts';
import { beginSpan, inSpan } from './in-span.ts';

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
