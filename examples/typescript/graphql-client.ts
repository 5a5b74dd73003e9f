import { initGraphQLTada, type TadaDocumentNode } from 'gql.tada';
import { type DocumentNode, print } from 'graphql';
import type { introspection } from './generated/graphql.d.ts';
import { KeywardError } from './keyward-error.ts';
import { sendWithRetries } from './send-with-retries.ts';

/** Parses a document. `schema/schema.graphql` gives the types of its data and variables. */
export const graphql = initGraphQLTada<{ introspection: introspection; scalars: { DateTime: string } }>();

interface Answer<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly { readonly message: string }[];
}

/** Sending a query twice does no harm, nor a mutation, except one that creates a secret: it would create two. */
const isQuery = ({ definitions }: DocumentNode): boolean =>
  definitions.every((definition) => !('operation' in definition) || definition.operation === 'query');

/** A GraphQL client whose types come from its documents. */
export const createGraphqlClient = (url: string, token: string) => ({
  /**
   * Sends a document.
   * @param repeatable whether a second request does no harm
   * @throws {KeywardError} if Keyward refuses the document
   */
  async send<Data, Variables>(
    document: TadaDocumentNode<Data, Variables>,
    variables: Variables,
    repeatable = isQuery(document),
  ): Promise<Data> {
    const request = new Request(`${url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        // With this type, the status says what went wrong. With application/json, it is often 200.
        accept: 'application/graphql-response+json',
      },
      body: JSON.stringify({ query: print(document), variables }),
    });
    const response = await sendWithRetries(request, repeatable);
    const { data, errors: [error] = [] } = (await response.json()) as Answer<Data>;
    if (data && !error) return data;
    throw new KeywardError(response.status, error?.message ?? response.statusText, response);
  },
});

/** A client of GraphQL. */
export type GraphqlClient = ReturnType<typeof createGraphqlClient>;
