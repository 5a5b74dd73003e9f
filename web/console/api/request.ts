import type { TadaDocumentNode } from 'gql.tada';
import { type DocumentNode, Kind, print } from 'graphql';
import { fetchInTime } from '../../shared/fetch-in-time.ts';
import { expireSession, getSession, renewSession, type Session } from '../../sign-in/session.ts';
import { documentId } from './document-id.ts';
import { Problem, signedOut } from './problem.ts';
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
const doneAlready = () =>
  new Problem(
    'refused',
    'An earlier attempt succeeded with other values. Close this dialog and check what it did.',
  );

/** What to do if no response comes: the change may have been made. */
function hintFor({ definitions: [definition] }: DocumentNode, idempotencyKey: string | undefined): string {
  if (idempotencyKey !== undefined) return 'Try again: if it was done already, you get the same result.';
  const isChange = definition?.kind === Kind.OPERATION_DEFINITION && definition.operation === 'mutation';
  return isChange ? 'Check whether the change was made before you try again.' : 'Try again in a moment.';
}

/**
 * Sends an operation to the GraphQL API, as the person who is signed in.
 * @throws {Problem}
 */
export async function request<Data, Variables extends object>(
  document: TadaDocumentNode<Data, Variables>,
  variables: Variables,
  { signal, idempotencyKey }: RequestOptions = {},
): Promise<Data> {
  const { session } = getSession();
  if (!session) throw signedOut();
  const sendAs = ({ accessToken }: Session, asked: object): Promise<Response> =>
    fetchInTime(
      '/graphql',
      {
        method: 'POST',
        headers: {
          ...headers,
          authorization: `Bearer ${accessToken}`,
          ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
        },
        body: JSON.stringify({ ...asked, variables }),
        ...(signal && { signal }),
      },
      hintFor(document, idempotencyKey),
    ).catch((cause: Error) => {
      throw signal?.aborted ? cause : new Problem('network', cause.message, { cause });
    });
  const send = async (asked: object): Promise<Response> => {
    const response = await sendAs(session, asked);
    if (response.status !== 401) return response;
    // The server did nothing yet. After sleep, for example, a token may be over before it could be renewed.
    const renewed = await renewSession(session);
    const second = renewed ? await sendAs(renewed, asked) : response;
    if (second.status === 401 && [session, renewed].includes(getSession().session)) expireSession();
    return second;
  };
  const read = (response: Response) =>
    readAnswer<Data>(response, variables).catch((error: unknown) => {
      throw error instanceof Problem && error.issueOf('Idempotency-Key') ? doneAlready() : error;
    });
  const query = print(document);
  // Browsers offer no digests to a page that was loaded without TLS.
  if (!isSecureContext) return read(await send({ query }));
  try {
    return await read(await send({ documentId: await documentId(query) }));
  } catch (error) {
    // A server of another version does not know this document, and did nothing.
    if (!(error instanceof Problem) || error.kind !== 'unknown-document') throw error;
    return read(await send({ query }));
  }
}
