import type { SchemaState } from '../database/current-db.ts';
import { GatewayError } from '../errors.ts';
import type { Middleware } from './exchange.ts';

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
