import type { Surround } from '../../graphql/run-operation.ts';
import { type Exchange, entityTagOf, type Handler } from '../../http/exchange.ts';
import { conditionsOf } from '../../http/read-request.ts';
import type { OperationContext } from '../../operations/context.ts';
import { answerRecord, assertUnchanged, type CheckOwned } from '../../rest/conditions.ts';
import type { RecordWriter } from '../../rest/record-writer.ts';
import { createRouteMatcher } from '../../rest/routes.ts';
import { type ApiKeyReader, stale } from '../api-key.ts';
import { apiKeyItself } from './api-key-itself.ts';

const path = '/keys/self';

const matchRoute = createRouteMatcher({
  readApiKeyItself: { method: 'GET', path },
  deactivateApiKeyItself: { method: 'DELETE', path },
});

/** The dependencies of the handler. */
interface KeyItselfOptions {
  readonly keys: ApiKeyReader;
  readonly surround: Surround;
  /** Writes an API key's record without the fields that are useless to its bearer. */
  readonly write: RecordWriter;
  readonly checkOwned: CheckOwned;
  /** Counts a request with the key, and throws if the request exceeds the limit. */
  readonly count?: ((keyId: string, exchange: Exchange) => void) | undefined;
}

/**
 * Answers a request about the API key that the request carries: reads the key's record, or deactivates the key. The
 * API key takes the place of an access token, so no GraphQL root field does the same: root fields need a token.
 */
export const answerKeyItself =
  ({ keys, surround, write, checkOwned, count }: KeyItselfOptions): Handler =>
  async (exchange) => {
    const { method, headers, record } = exchange;
    record.route = `/api/v1${path}`;
    const { field } = matchRoute(method, path);
    record.operation = field;
    const context = { ...surround(exchange), idempotencyKey: null };
    const itself = await apiKeyItself(context, keys.read(headers));
    if (typeof itself === 'string') throw keys.refuse(itself);
    count?.(`${itself.id}`, exchange);
    const bodyOf = async (key: object) => JSON.stringify(await write(key, itself.grant, context));
    const conditions = conditionsOf(headers);
    if (field === 'readApiKeyItself') {
      const answer = answerRecord(await bodyOf(await itself.read()), conditions);
      return itself.isStale ? { ...answer, headers: { ...answer.headers, ...stale } } : answer;
    }
    const precondition =
      conditions &&
      ((inner: OperationContext) =>
        checkOwned(inner, { keyId: itself.id }, async () =>
          assertUnchanged(conditions, entityTagOf(await bodyOf(await itself.read(inner)))),
        ));
    const ended = await itself.deactivate(precondition);
    return answerRecord(await bodyOf(ended));
  };
