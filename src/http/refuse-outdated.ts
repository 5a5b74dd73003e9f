import { GatewayError } from '../errors.ts';
import type { Middleware } from './exchange.ts';

/** Whether this version can still work with the schema of the database. */
export interface SchemaState {
  /** The change that a newer version made, in words; undefined while this version can work. */
  readonly fault: string | undefined;
}

/**
 * Refuses every request with 503 once a newer version has changed the schema. Otherwise this version would call a key
 * valid that the newer version refuses.
 */
export const refuseOutdated =
  (schema: SchemaState): Middleware =>
  (next) =>
  (exchange) => {
    if (schema.fault !== undefined) throw outdated();
    return next(exchange);
  };

const outdated = () =>
  new GatewayError('SERVICE_UNAVAILABLE', 'This node is older than its database', {
    reason: 'schema-newer',
    headers: { 'retry-after': '5' },
  });
