import { initGraphQLTada, type TadaDocumentNode } from 'gql.tada';
import { type DocumentNode, print } from 'graphql';
import type { introspection } from './generated/graphql.d.ts';
import { KeywardError } from './keyward-error.ts';
import { sendWithRetries } from './send-with-retries.ts';

/** Reads a document; its data and variables are typed by `schema/schema.graphql`. */
export const graphql = initGraphQLTada<{ introspection: introspection; scalars: { DateTime: string } }>();

interface Answer<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly { readonly message: string }[];
}

/** A query can be sent twice. Of mutations, those that make a secret cannot: it would make two. */
const isQuery = ({ definitions }: DocumentNode): boolean =>
  definitions.every((definition) => !('operation' in definition) || definition.operation === 'query');

/** GraphQL, typed by its documents. */
export const createGraphqlClient = (url: string, token: string) => ({
  /**
   * Sends a document.
   * @param repeatable whether doing it twice is as good as once
   * @throws {KeywardError} it was refused
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
        // With this type the status says what went wrong; with application/json it is often 200.
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
