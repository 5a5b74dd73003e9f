import type { TadaDocumentNode } from 'gql.tada';
import { type DocumentNode, Kind, print } from 'graphql';
import { fetchInTime } from '../../shared/fetch-in-time.ts';
import { expireSession, getSession } from '../../sign-in/session.ts';
import { documentId } from './document-id.ts';
import { Problem, signedOut } from './problem.ts';
import { readAnswer } from './read-answer.ts';

const headers = {
  accept: 'application/graphql-response+json',
  'content-type': 'application/json',
};

/** What to do if no response comes: the change may have been made all the same. */
function hintFor({ definitions: [definition] }: DocumentNode): string {
  const isChange = definition?.kind === Kind.OPERATION_DEFINITION && definition.operation === 'mutation';
  return isChange ? 'Check whether the change was made before you try again.' : 'Try again in a moment.';
}

/**
 * Sends an operation to the GraphQL API, as the person who is signed in.
 * @param signal aborts the request
 * @throws {Problem}
 */
export async function request<Data, Variables extends object>(
  document: TadaDocumentNode<Data, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Data> {
  const { session } = getSession();
  if (!session) throw signedOut();
  const send = async (asked: object): Promise<Response> => {
    const response = await fetchInTime(
      '/graphql',
      {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${session.accessToken}` },
        body: JSON.stringify({ ...asked, variables }),
        ...(signal && { signal }),
      },
      hintFor(document),
    ).catch((cause: Error) => {
      throw signal?.aborted ? cause : new Problem('network', cause.message, { cause });
    });
    // If the token was replaced meanwhile, a 401 says nothing about the new one.
    if (response.status === 401 && session === getSession().session) expireSession();
    return response;
  };
  const query = print(document);
  // Browsers offer no digests to a page that was loaded without TLS.
  if (!isSecureContext) return readAnswer<Data>(await send({ query }), variables);
  try {
    return await readAnswer<Data>(await send({ documentId: await documentId(query) }), variables);
  } catch (error) {
    // A server of another version does not know this document, and did nothing.
    if (!(error instanceof Problem) || error.kind !== 'unknown-document') throw error;
    return readAnswer<Data>(await send({ query }), variables);
  }
}
