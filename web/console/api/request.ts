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

/** What to do where no answer comes: a change may have been made all the same. */
function hintFor({ definitions: [definition] }: DocumentNode): string {
  const isChange = definition?.kind === Kind.OPERATION_DEFINITION && definition.operation === 'mutation';
  return isChange ? 'Look whether it was done before you try again.' : 'Try again in a moment.';
}

/**
 * Asks the GraphQL API as the person who is signed in.
 * @param signal ends it early
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
    // A token that was replaced meanwhile says nothing about the one that is held now.
    if (response.status === 401 && session === getSession().session) expireSession();
    return response;
  };
  const query = print(document);
  // A browser makes no digests on a page that came over the network without TLS.
  if (!isSecureContext) return readAnswer<Data>(await send({ query }), variables);
  try {
    return await readAnswer<Data>(await send({ documentId: await documentId(query) }), variables);
  } catch (error) {
    // A server of another version than this page has other documents. It has done nothing.
    if (!(error instanceof Problem) || error.kind !== 'unknown-document') throw error;
    return readAnswer<Data>(await send({ query }), variables);
  }
}
