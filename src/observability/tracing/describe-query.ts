import type { Attributes } from '@opentelemetry/api';

/** What a span says of a query. */
export interface QueryDescription {
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
