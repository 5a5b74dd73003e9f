import type { ResultOf, TadaDocumentNode } from 'gql.tada';
import type { Language } from '../../messages/language.ts';
import { NoResponse } from '../../shared/fetch-in-time.ts';
import type { CompiledDocument } from './compiled-document.ts';
import { Problem } from './problem.ts';
import { readAnswer } from './read-answer.ts';

const headers = {
  accept: 'application/graphql-response+json',
  'content-type': 'application/json',
};

/** How a request is sent. */
interface RequestOptions {
  /** Aborts the request. */
  readonly signal?: AbortSignal;
  /** Makes a retry safe: the same key and variables run once, and get the same response. */
  readonly idempotencyKey?: string;
}

/** Makes an `Idempotency-Key`. A page that was loaded without TLS has no `crypto.randomUUID`. */
export const createIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** An earlier attempt succeeded, and its response was lost; then the person changed the form. */
const doneAlready = ({ text }: Language) => new Problem('refused', text('common.done-already'));

/** What to do if no response comes: the change may have been made. */
function hintFor({ text }: Language, isChange: boolean, idempotencyKey: string | undefined): string {
  if (idempotencyKey !== undefined) return text('common.hint-same-result');
  return text(isChange ? 'common.hint-check' : 'common.retry-soon');
}

/** No response came. */
const noResponse = ({ text }: Language, cause: NoResponse, hint: string): Problem =>
  new Problem(
    'network',
    cause.waited === undefined
      ? text('common.unreachable')
      : text('common.no-response', { seconds: cause.waited, hint }),
    { cause },
  );

/** Sends an operation to the GraphQL API, as the person. Throws a {@link Problem}. */
export type Request = <Data, Variables extends object>(
  document: TadaDocumentNode<Data, Variables>,
  variables: Variables,
  options?: RequestOptions,
) => Promise<Data>;

/**
 * Sends a request to the GraphQL API as the person.
 * @throws {NoResponse} if none comes
 * @throws {Problem} with another reason
 */
export type Send = (
  init: RequestInit & { readonly headers: Readonly<Record<string, string>> },
) => Promise<Response>;

/**
 * Makes what sends operations.
 * @param language the person's
 * @param begin is called for each operation: all that is sent for it is sent as the same person
 */
export const createRequest =
  (language: Language, begin: () => Send): Request =>
  async (document, variables, { signal, idempotencyKey } = {}) => {
    // The build has put it there.
    const { id, text, isChange } = document as unknown as CompiledDocument;
    const send = begin();
    const ask = async (asked: object) => {
      const response = await send({
        method: 'POST',
        headers: { ...headers, ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) },
        body: JSON.stringify({ ...asked, variables }),
        ...(signal && { signal }),
      }).catch((error: unknown) => {
        if (signal?.aborted || !(error instanceof NoResponse)) throw error;
        throw noResponse(language, error, hintFor(language, isChange, idempotencyKey));
      });
      return readAnswer<ResultOf<typeof document>>(language, response, variables).catch((error: unknown) => {
        throw error instanceof Problem && error.issueOf('Idempotency-Key') ? doneAlready(language) : error;
      });
    };
    try {
      return await ask({ documentId: id });
    } catch (error) {
      // A server of another version does not know this document, and did nothing.
      if (!(error instanceof Problem) || error.kind !== 'unknown-document') throw error;
      return ask({ query: text });
    }
  };
