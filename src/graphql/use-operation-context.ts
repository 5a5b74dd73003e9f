import type { Plugin, YogaInitialContext } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { WithAccessToken } from '../auth/caller.ts';
import type { Exchange } from '../http/exchange.ts';
import type { EventLog } from '../observability/events.ts';
import { createEventLog } from '../observability/log.ts';
import type { OperationContext } from '../operations/context.ts';
import type { Wakeable } from '../webhooks/webhooks.ts';

/** What operations need that is the same for all requests. */
export type OperationServices = Pick<
  OperationContext,
  'db' | 'idempotency' | 'importedKeys' | 'keyQuotas' | 'keyRates' | 'keyUsage' | 'limits' | 'secrets'
>;

/** The same log, and somebody is told of each event: it is logged once its change is certain. */
const andTell =
  (events: EventLog, webhooks: Wakeable | undefined): EventLog =>
  (name, event) => {
    events(name, event);
    webhooks?.wake();
  };

/**
 * Gives each request what operations need: who calls, the database, the log.
 * Runs after the token was verified; a request without one gets nothing, and reaches no operation.
 * @param webhooks told after each change
 */
export const useOperationContext = (
  services: OperationServices,
  logger: Logger,
  webhooks?: Wakeable,
): Plugin<YogaInitialContext & Exchange & WithAccessToken & Partial<OperationContext>> => ({
  onContextBuilding: ({ context: { accessToken, address, answerBy, record, request }, extendContext }) => {
    if (!accessToken) return;
    const { issuer, subject } = accessToken;
    extendContext({
      ...services,
      db: services.db.until(answerBy),
      caller: { issuer, subject },
      // What is asked for by another method is idempotent already.
      idempotencyKey: request.method === 'POST' ? request.headers.get('idempotency-key') : null,
      requestSource: { id: record.requestId, address },
      events: andTell(createEventLog(logger, record), webhooks),
    });
  },
});
