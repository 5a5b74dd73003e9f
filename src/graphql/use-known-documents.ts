import { type DocumentNode, getOperationAST } from 'graphql';
import type { Plugin, YogaServerInstance } from 'graphql-yoga';

/** Where documents are kept, by their text. */
export interface KeptDocuments {
  get(text: string): DocumentNode | undefined;
}

/**
 * Runs a document that is kept and was found valid without a look at it as text and as a document: what hooks of parsing
 * and validation decide, they decide by the document alone, or again at execution.
 */
export function useKnownDocuments(documents: KeptDocuments): Plugin {
  const valid = new WeakSet<DocumentNode>();
  let pipeline: Pick<YogaServerInstance<object, object>, 'getEnveloped'>;
  return {
    onYogaInit: ({ yoga }) => {
      pipeline = yoga;
    },
    onValidate:
      ({ params: { documentAST } }) =>
      ({ valid: isValid }) => {
        if (isValid) valid.add(documentAST as DocumentNode);
      },
    onParams: ({ request, params: { query = '', operationName }, setParamsHandler }) => {
      const document = documents.get(query);
      // Which operations GET may run is decided with the document.
      if (!document || request.method !== 'POST' || !valid.has(document)) return;
      if (!getOperationAST(document, operationName)) return;
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
