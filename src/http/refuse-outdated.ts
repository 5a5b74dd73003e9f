import { GatewayError } from '../errors.ts';
import type { Middleware } from './exchange.ts';

/** Whether this version can go on with the schema of the database. */
export interface SchemaState {
  /** What a newer version has changed, in words; undefined where this one can go on. */
  readonly fault: string | undefined;
}

/**
 * Refuses every request with 503 once a newer version has changed the schema: this one would answer that a key is valid
 * which the newer one refuses.
 */
export const refuseOutdated =
  (schema: SchemaState): Middleware =>
  (next) =>
  async (exchange) => {
    if (schema.fault !== undefined) throw outdated();
    return next(exchange);
  };

const outdated = () =>
  new GatewayError('SERVICE_UNAVAILABLE', 'This node is older than its database', {
    reason: 'schema-newer',
    headers: { 'retry-after': '5' },
  });
