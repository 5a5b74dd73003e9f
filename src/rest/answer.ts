import { hash } from 'node:crypto';
import type { ExecutionResult } from 'graphql';
import { GatewayError } from '../errors.ts';
import type { Answer, AnswerHeaders, RequestHeaders } from '../http/exchange.ts';
import type { OperationContext } from '../operations/context.ts';
import type { BoundRoute } from './bound-routes.ts';
import type { Connection, PageInfo } from './rest-schema.ts';
import { toReference } from './routes.ts';
import type { Operation, Sofa } from './sofa.ts';

/** The result of a REST call. */
export interface Outcome {
  /** The value of the root field; its members have their REST names. */
  readonly value: unknown;
  /** The input of the call, by REST name. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The page information of a list; undefined for any other answer. */
  readonly pageInfo: PageInfo | undefined;
}

/** The value that an operation answers. For a connection: its nodes, and the page information. */
export const readAnswer = (value: unknown, { isPage }: BoundRoute): Omit<Outcome, 'variables'> => {
  if (!isPage) return { value, pageInfo: undefined };
  const { edges, pageInfo } = value as Connection;
  return { value: edges.map(({ node }) => node), pageInfo };
};

/** The `Link` header field to the next page (RFC 8288): the same call with another cursor. */
const nextPage = (route: BoundRoute, variables: Outcome['variables'], cursor: string): string => {
  const query = new URLSearchParams();
  for (const { name, in: place } of route.inputs) {
    if (place === 'query' && name in variables) query.set(name, String(variables[name]));
  }
  // The new cursor replaces an old one and always stands last.
  query.delete('cursor');
  query.append('cursor', cursor);
  return `<${toReference(route.path, variables)}?${query}>; rel="next"`;
};

/**
 * The status code and the header fields of a route's answer.
 * @param tag the entity tag of the representation; undefined if the answer is no readable resource
 */
export function describeAnswer(route: BoundRoute, { value, variables, pageInfo }: Outcome, tag?: string) {
  const headers: AnswerHeaders = { 'content-type': 'application/json' };
  if (tag !== undefined) headers['etag'] = tag;
  if (route.created) headers['location'] = toReference(route.created, value as Record<string, unknown>);
  if (pageInfo?.hasNextPage && typeof pageInfo.endCursor === 'string')
    headers['link'] = nextPage(route, variables, pageInfo.endCursor);
  return { status: route.created ? 201 : 200, headers };
}

/**
 * The entity tag of a representation (RFC 9110, section 8.8.3). The tag is strong and depends on the bytes alone, so
 * every node and both databases give the same tag.
 */
export const entityTagOf = (body: string): string => `"${hash('sha256', body, 'base64url').slice(0, 22)}"`;

/**
 * The entity tag as Keyward sent it, before a compressing proxy changed it. nginx marks the tag as weak (Keyward
 * sends no weak tags); Apache and Caddy append the name of the content coding: `"…-gzip"` → `"…"`.
 */
const asGiven = (tag: string): string =>
  tag
    .trim()
    .replace(/^W\//, '')
    .replace(/^("[\w-]{22})-(?:br|deflate|gzip|zstd)"$/, '$1"');

/** Whether an `If-Match` or `If-None-Match` header field lists the tag, or is `*`. */
const names = (field: string, tag: string): boolean =>
  isAny(field) || field.split(',').some((each) => asGiven(each) === tag);

const isAny = (field: string): boolean => field.trim() === '*';

/** The preconditions of a request (RFC 9110, section 13.1). */
interface Conditions {
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/** The preconditions of a request; undefined if it has none. */
export function conditionsOf(headers: RequestHeaders): Conditions | undefined {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  return ifMatch === undefined && ifNoneMatch === undefined ? undefined : { ifMatch, ifNoneMatch };
}

const failed = () =>
  new GatewayError(
    'PRECONDITION_FAILED',
    'Precondition failed (If-Match or If-None-Match). Read it again, then retry',
  );

/**
 * Whether the caller has this representation already, so that the answer is 304.
 * @throws {GatewayError} `PRECONDITION_FAILED` if `If-Match` lists other tags
 */
export function isKnown({ ifMatch, ifNoneMatch }: Conditions, tag: string): boolean {
  if (ifMatch !== undefined && !names(ifMatch, tag)) throw failed();
  return ifNoneMatch !== undefined && names(ifNoneMatch, tag);
}

/**
 * Makes sure that a request on a list has no precondition but that there is the list. Lists have no entity tags: to
 * know one, a change would have to read the whole list in its transaction.
 * @throws {GatewayError} `PRECONDITION_FAILED` for any tag in `If-Match`, and for a change with `If-None-Match: *`
 */
export function assertNoTag({ ifMatch, ifNoneMatch }: Conditions, { method }: BoundRoute): void {
  if (ifMatch !== undefined && !isAny(ifMatch)) throw failed();
  if (method !== 'GET' && ifNoneMatch !== undefined && isAny(ifNoneMatch)) throw failed();
}

/**
 * Makes sure that the caller knows the current state of the record that a request changes.
 * @throws {GatewayError} `PRECONDITION_FAILED` if the preconditions do not hold
 */
export function assertUnchanged(conditions: Conditions, tag: string): void {
  if (isKnown(conditions, tag)) throw failed();
}

/**
 * Answers a record in JSON, with its entity tag.
 * @param conditions the preconditions of a reading request: the status is 304 if the caller has the record already
 * @throws {GatewayError} `PRECONDITION_FAILED` if `If-Match` lists other tags
 */
export function answerRecord(body: string, conditions?: Conditions): Answer {
  const tag = entityTagOf(body);
  const headers = { 'content-type': 'application/json', etag: tag };
  return conditions && isKnown(conditions, tag)
    ? { status: 304, headers, body: '' }
    : { status: 200, headers, body };
}

/**
 * Runs a check on a record that the caller owns, and locks the record so that it stays unchanged until the
 * transaction ends.
 */
export type CheckOwned = (
  context: OperationContext,
  changed: { readonly [id in 'accountId' | 'keyId' | 'endpointId']?: number | undefined },
  check: () => Promise<void>,
) => Promise<void>;

/** The operations behind routes, with their compiled code. */
interface Operations extends Pick<Sofa, 'compiled'> {
  operationOf(route: BoundRoute): Promise<Operation>;
}

/**
 * Makes the precondition of a change. The change's own transaction runs the precondition first: it compares the
 * record's current entity tag with the tags that the caller sent.
 */
export const createPrecondition =
  ({ operationOf, compiled }: Operations, checkOwned: CheckOwned) =>
  ({ resource }: BoundRoute, variables: Outcome['variables'], conditions: Conditions) =>
  async (context: OperationContext): Promise<void> => {
    if (!resource) return;
    const { document } = await operationOf(resource);
    const check = async () => {
      const result: ExecutionResult = (await compiled.get(document)?.(undefined, context, variables)) ?? {};
      if (result.errors?.[0]) throw result.errors[0];
      assertUnchanged(conditions, entityTagOf(JSON.stringify(result.data?.[resource.field.name])));
    };
    const changed = {
      accountId: variables['id'] ?? variables['user_id'],
      keyId: variables['key_id'],
      endpointId: variables['endpoint_id'],
    };
    await checkOwned(context, changed as Parameters<CheckOwned>[1], check);
  };
