import type { TadaDocumentNode } from 'gql.tada';
import { type DocumentNode, Kind, print } from 'graphql';
import { expireSession, getSession } from '../../sign-in/session.ts';
import { documentId } from './document-id.ts';
import { Problem, signedOut } from './problem.ts';
import { readAnswer } from './read-answer.ts';

const headers = {
  accept: 'application/graphql-response+json',
  'content-type': 'application/json',
};

/** How long an answer may take, in milliseconds. */
const patience = 15_000;

/** Why there is no answer, in words. A change may have been made all the same. */
function describeSilence(document: DocumentNode): string {
  const [definition] = document.definitions;
  const isChange = definition?.kind === Kind.OPERATION_DEFINITION && definition.operation === 'mutation';
  const said = `Keyward has not answered for ${patience / 1_000} seconds.`;
  return isChange
    ? `${said} Look whether it was done before you try again.`
    : `${said} Try again in a moment.`;
}

const unanswered = (message: string, cause: unknown) => new Problem('network', message, { cause });

/**
 * Sends a request, and gives up where it is not answered in time.
 * @throws {Problem}
 */
async function ask(init: RequestInit, silence: string, signal?: AbortSignal): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), patience);
  try {
    const response = await fetch('/graphql', {
      ...init,
      method: 'POST',
      signal: AbortSignal.any([late.signal, ...(signal ? [signal] : [])]),
    });
    // The rest of the answer has to be here in time as well.
    return new Response(await response.blob(), response);
  } catch (cause) {
    if (signal?.aborted) throw cause;
    const message = late.signal.aborted
      ? silence
      : 'Keyward cannot be reached. Check your connection and try again.';
    throw unanswered(message, cause);
  } finally {
    clearTimeout(timer);
  }
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
    const response = await ask(
      {
        headers: { ...headers, authorization: `Bearer ${session.accessToken}` },
        body: JSON.stringify({ ...asked, variables }),
      },
      describeSilence(document),
      signal,
    );
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
