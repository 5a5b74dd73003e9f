import { hash } from 'node:crypto';
import type { ExecutionResult } from 'graphql';
import { GatewayError } from '../errors.ts';
import type { Answer, AnswerHeaders, RequestHeaders } from '../http/exchange.ts';
import type { OperationContext } from '../operations/context.ts';
import type { Endpoint } from './endpoints.ts';
import type { Connection, PageInfo } from './rest-schema.ts';
import { toReference } from './routes.ts';
import type { Operation, Sofa } from './sofa.ts';

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
  const headers: AnswerHeaders = { 'content-type': 'application/json' };
  if (tag !== undefined) headers['etag'] = tag;
  if (endpoint.created) headers['location'] = toReference(endpoint.created, value as Record<string, unknown>);
  if (pageInfo?.hasNextPage && typeof pageInfo.endCursor === 'string')
    headers['link'] = nextPage(endpoint, variables, pageInfo.endCursor);
  return { status: endpoint.created ? 201 : 200, headers };
}

/**
 * What identifies a representation (RFC 9110, section 8.8.3): a strong tag, of the bytes alone, so it is the same from
 * every node and with either database.
 */
export const entityTagOf = (body: string): string => `"${hash('sha256', body, 'base64url').slice(0, 22)}"`;

/**
 * A tag as it was before a proxy that compresses has changed it: nginx marks it as weak, which none of ours is; Apache
 * and Caddy append the name of the coding.
 */
const asGiven = (tag: string): string =>
  tag
    .trim()
    .replace(/^W\//, '')
    .replace(/^("[\w-]{22})-(?:br|deflate|gzip|zstd)"$/, '$1"');

/** Whether a field names a tag. */
const names = (field: string, tag: string): boolean =>
  field.trim() === '*' || field.split(',').some((each) => asGiven(each) === tag);

/** What a request makes its answer depend on (RFC 9110, section 13.1). */
interface Conditions {
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/** The conditions of a request; undefined where it has none. */
export function conditionsOf(headers: RequestHeaders): Conditions | undefined {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  return ifMatch === undefined && ifNoneMatch === undefined ? undefined : { ifMatch, ifNoneMatch };
}

const failed = () =>
  new GatewayError('PRECONDITION_FAILED', 'It is not as If-Match or If-None-Match says: read it again');

/**
 * Whether what is read is what the caller has already.
 * @throws {GatewayError} `PRECONDITION_FAILED` where it is not what the caller wants
 */
export function isKnown({ ifMatch, ifNoneMatch }: Conditions, tag: string): boolean {
  if (ifMatch !== undefined && !names(ifMatch, tag)) throw failed();
  return ifNoneMatch !== undefined && names(ifNoneMatch, tag);
}

/**
 * Makes sure that what is changed is as the caller knows it.
 * @throws {GatewayError} `PRECONDITION_FAILED`
 */
export function assertUnchanged(conditions: Conditions, tag: string): void {
  if (isKnown(conditions, tag)) throw failed();
}

/**
 * Answers a record in JSON, with its tag.
 * @param conditions those of the request, where it reads: 304 where the caller has the record already
 * @throws {GatewayError} `PRECONDITION_FAILED` where it is not what the caller wants
 */
export function answerRecord(body: string, conditions?: Conditions): Answer {
  const tag = entityTagOf(body);
  const headers = { 'content-type': 'application/json', etag: tag };
  return conditions && isKnown(conditions, tag)
    ? { status: 304, headers, body: '' }
    : { status: 200, headers, body };
}

/** Checks what the caller has, in such a way that it stays so until the transaction ends. */
export type CheckOwned = (
  context: OperationContext,
  changed: Readonly<Record<'accountId' | 'keyId' | 'endpointId', number | undefined>>,
  check: () => Promise<void>,
) => Promise<void>;

/** The operations behind routes, and how they run. */
interface Operations extends Pick<Sofa, 'compiled'> {
  operationOf(route: Endpoint): Promise<Operation>;
}

/** What is asked before a change, in its own transaction: whether what is changed is still what the caller knows. */
export const createPrecondition =
  ({ operationOf, compiled }: Operations, checkOwned: CheckOwned) =>
  ({ resource }: Endpoint, variables: Outcome['variables'], conditions: Conditions) =>
  async (context: OperationContext): Promise<void> => {
    if (!resource) return;
    const { document } = await operationOf(resource);
    const check = async () => {
      const result: ExecutionResult = (await compiled.get(document)?.(undefined, context, variables)) ?? {};
      if (result.errors?.[0]) throw result.errors[0];
      const { value } = readAnswer(result.data?.[resource.field.name], resource);
      assertUnchanged(conditions, entityTagOf(JSON.stringify(value)));
    };
    const changed = {
      accountId: variables['id'],
      keyId: variables['key_id'],
      endpointId: variables['endpoint_id'],
    };
    await checkOwned(context, changed as Parameters<CheckOwned>[1], check);
  };
