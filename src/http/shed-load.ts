import { GatewayError } from '../errors.ts';
import { answerError } from './answer-errors.ts';
import type { Middleware } from './exchange.ts';
import type { Load } from './load.ts';

/**
 * Counts requests in flight, and refuses them with 503 while there is too much to do, before anything is done for them:
 * so those that are taken on are answered in time, and memory stays bounded.
 */
export const shedLoad =
  (load: Load): Middleware =>
  (next) =>
  async (exchange) => {
    load.inFlight += 1;
    try {
      load.makeRoom();
      if (!load.isTooMuch) return await next(exchange);
      load.noteRefusal();
      // Not noted as a failure: thousands would say the same in a second.
      return answerError(exchange, overloaded());
    } finally {
      load.inFlight -= 1;
    }
  };

const overloaded = () =>
  new GatewayError('SERVICE_UNAVAILABLE', 'Service Unavailable', { headers: { 'retry-after': '1' } });
