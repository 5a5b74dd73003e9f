import type { Context, Tracer } from '@opentelemetry/api';
import { type ExecutionResult, getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Db } from '../../database/db.ts';
import type { Exchange, RequestRecord } from '../../http/exchange.ts';
import { beginSpan, markFailed } from './in-span.ts';

/**
 * A span for each operation that is executed, named by its root field.
 * @param contextOf what belongs below the span of a request
 * @param createDb a database whose queries belong below a span
 */
export function useOperationSpan(
  tracer: Tracer,
  contextOf: (record: RequestRecord) => Context,
  createDb: (context: Context, exchange: Exchange) => Db,
): Plugin<Exchange & { db?: Db }> {
  return {
    onExecute: ({ args: { document, operationName, contextValue }, extendContext }) => {
      const { record } = contextValue;
      const type = getOperationAST(document, operationName)?.operation ?? 'query';
      const options = { attributes: { 'graphql.operation.type': type } };
      const name = `${type} ${record.operation ?? ''}`.trimEnd();
      const { span, context } = beginSpan(tracer, name, options, contextOf(record));
      extendContext({ db: createDb(context, contextValue) });
      return {
        onExecuteDone: ({ result }) => {
          const [error] = (result as ExecutionResult).errors ?? [];
          if (error) markFailed(span, error.originalError ?? error);
          span.end();
        },
      };
    },
  };
}
