import type { ExecutionResult } from 'graphql';
import { GatewayError } from '../errors.ts';
import { type Answer, entityTagOf } from '../http/exchange.ts';
import type { Conditions } from '../http/read-request.ts';
import type { OperationContext } from '../operations/context.ts';
import type { BoundRoute } from './bound-routes.ts';
import type { Sofa } from './sofa.ts';

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

/**
 * Makes the precondition of a change. The change's own transaction runs the precondition first: it compares the
 * record's current entity tag with the tags that the caller sent.
 */
export const createPrecondition =
  ({ operationOf, compiled }: Pick<Sofa, 'operationOf' | 'compiled'>, checkOwned: CheckOwned) =>
  ({ resource }: BoundRoute, variables: Readonly<Record<string, unknown>>, conditions: Conditions) =>
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
