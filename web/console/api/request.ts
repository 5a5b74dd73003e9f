import type { TadaDocumentNode } from 'gql.tada';
import { print } from 'graphql';
import { expireSession, getSession } from '../../sign-in/session.ts';
import { documentId } from './document-id.ts';
import { Problem, signedOut } from './problem.ts';
import { readAnswer } from './read-answer.ts';

const headers = {
  accept: 'application/graphql-response+json',
  'content-type': 'application/json',
};

/**
 * Asks the GraphQL API as the person who is signed in.
 * @param signal ends it early
 * @throws {Problem}
 */
export async function request<Data, Variables>(
  document: TadaDocumentNode<Data, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Data> {
  const { session } = getSession();
  if (!session) throw signedOut();
  const send = async (asked: object): Promise<Response> => {
    const response = await fetch('/graphql', {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${session.accessToken}` },
      body: JSON.stringify({ ...asked, variables }),
      ...(signal && { signal }),
    }).catch((cause: unknown) => {
      if (signal?.aborted) throw cause;
      throw new Problem('network', 'Keyward cannot be reached. Check your connection and try again.', {
        cause,
      });
    });
    // A token that was replaced meanwhile says nothing about the one that is held now.
    if (response.status === 401 && session === getSession().session) expireSession();
    return response;
  };
  const query = print(document);
  // A browser makes no digests on a page that came over the network without TLS.
  if (!isSecureContext) return readAnswer<Data>(await send({ query }));
  try {
    return await readAnswer<Data>(await send({ documentId: await documentId(query) }));
  } catch (error) {
    // A server of another version than this page has other documents. It has done nothing.
    if (!(error instanceof Problem) || error.kind !== 'unknown-document') throw error;
    return readAnswer<Data>(await send({ query }));
  }
}
