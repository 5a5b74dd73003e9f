import type { Endpoint } from './endpoints.ts';
import type { Connection, PageInfo } from './lists.ts';
import { toReference } from './routes.ts';

/** What a call came to. */
export interface Outcome {
  /** The value of the root field, in REST's names. */
  readonly value: unknown;
  /** The input of the call, in REST's names. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** For a list, what is known of its page. */
  readonly pageInfo: PageInfo | undefined;
}

/** What an operation answers: of a connection, the nodes and their page. */
export const readAnswer = (value: unknown, { isPage }: Endpoint): Omit<Outcome, 'variables'> => {
  if (!isPage) return { value, pageInfo: undefined };
  const { edges, pageInfo } = value as Connection;
  return { value: edges.map(({ node }) => node), pageInfo };
};

/** The same call for the page that follows (RFC 8288). */
const nextPage = (endpoint: Endpoint, variables: Outcome['variables'], cursor: string): string => {
  const query = new URLSearchParams();
  for (const { name, in: place } of endpoint.inputs) {
    if (place === 'query' && name in variables) query.set(name, String(variables[name]));
  }
  // Whichever page this was, the cursor goes last.
  query.delete('cursor');
  query.append('cursor', cursor);
  return `<${toReference(endpoint.path, variables)}?${query}>; rel="next"`;
};

/**
 * Status and header fields that an answer has for its route.
 * @param tag what identifies the representation, where it is one of something that can be read
 */
export function describeAnswer(endpoint: Endpoint, { value, variables, pageInfo }: Outcome, tag?: string) {
  // A new object each time: Yoga's Response writes into the one that it is given.
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (tag !== undefined) headers['etag'] = tag;
  if (endpoint.created) headers['location'] = toReference(endpoint.created, value as Record<string, unknown>);
  if (pageInfo?.hasNextPage && typeof pageInfo.endCursor === 'string')
    headers['link'] = nextPage(endpoint, variables, pageInfo.endCursor);
  return { status: endpoint.created ? 201 : 200, headers };
}
