import { hash } from 'node:crypto';
import { Response } from '@whatwg-node/fetch';
import { GatewayError } from '../errors.ts';

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
export interface Conditions {
  readonly ifMatch: string | null;
  readonly ifNoneMatch: string | null;
}

/** The conditions of a request; undefined where it has none. */
export function conditionsOf({ headers }: Request): Conditions | undefined {
  const [ifMatch, ifNoneMatch] = [headers.get('if-match'), headers.get('if-none-match')];
  return ifMatch === null && ifNoneMatch === null ? undefined : { ifMatch, ifNoneMatch };
}

const failed = () =>
  new GatewayError('PRECONDITION_FAILED', 'It is not as If-Match or If-None-Match says: read it again');

/**
 * Whether what is read is what the caller has already.
 * @throws {GatewayError} `PRECONDITION_FAILED` where it is not what the caller wants
 */
export function isKnown({ ifMatch, ifNoneMatch }: Conditions, tag: string): boolean {
  if (ifMatch !== null && !names(ifMatch, tag)) throw failed();
  return ifNoneMatch !== null && names(ifNoneMatch, tag);
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
export function answerRecord(body: string, conditions?: Conditions): Response {
  const tag = entityTagOf(body);
  const headers = { 'content-type': 'application/json', etag: tag };
  return conditions && isKnown(conditions, tag)
    ? new Response(null, { status: 304, headers })
    : new Response(body, { headers });
}
