import { getOperationAST } from 'graphql';
import type { Plugin, YogaServerInstance } from 'graphql-yoga';
import type { WithAccessToken } from '../auth/caller.ts';
import type { DocumentCache } from './document-cache.ts';

/** What the context holds when a document is validated: what the request brought. */
interface Context extends WithAccessToken {
  readonly params?: { readonly query?: string };
}

/**
 * Keeps valid documents, and runs them again without parsing or validating them. That is safe: parsing and validation
 * depend on the document alone, and whatever depends on the caller is checked again at execution. Documents of callers
 * without a token are not kept, since they would push out those that others use.
 */
export function useKnownDocuments(documents: DocumentCache): Plugin<Context> {
  let pipeline: Pick<YogaServerInstance<object, object>, 'getEnveloped'>;
  return {
    onYogaInit: ({ yoga }) => {
      pipeline = yoga;
    },
    onValidate: ({ context, params: { documentAST } }) => {
      const { accessToken, params } = context as Context;
      const text = accessToken && params?.query;
      return ({ valid }) => {
        if (valid && text) documents.set(text, documentAST);
      };
    },
    onParams: ({ request, params: { query = '', operationName }, setParamsHandler }) => {
      const document = documents.get(query);
      const operation = document && getOperationAST(document, operationName);
      // Yoga refuses the others, by their documents.
      if (!operation || (request.method !== 'POST' && operation.operation !== 'query')) return;
      setParamsHandler(async ({ request, params, context }) => {
        const { schema, contextFactory, execute } = pipeline.getEnveloped(
          Object.assign(context, { request, params }),
        );
        const contextValue = await contextFactory();
        const { variables: variableValues, operationName } = params;
        return execute({ schema, document, contextValue, variableValues, operationName });
      });
    },
  };
}
