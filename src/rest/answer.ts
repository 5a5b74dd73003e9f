import type { Endpoint } from './endpoints.ts';
import type { PageInfo } from './lists.ts';
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

/** Status and header fields that an answer has for its route. */
export function describeAnswer(endpoint: Endpoint, { value, variables, pageInfo }: Outcome) {
  // A new object each time: Yoga's Response writes into the one that it is given.
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (endpoint.created) headers['location'] = toReference(endpoint.created, value as Record<string, unknown>);
  if (pageInfo?.hasNextPage && typeof pageInfo.endCursor === 'string')
    headers['link'] = nextPage(endpoint, variables, pageInfo.endCursor);
  return { status: endpoint.created ? 201 : 200, headers };
}
