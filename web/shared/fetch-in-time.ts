/** How long a response may take, in milliseconds. */
const patience = 15_000;

/** No response came, or not in time; the message is a sentence for a person. */
export class NoResponse extends Error {
  /** How many seconds were waited; undefined if the service cannot be reached. */
  readonly waited: number | undefined;

  constructor(
    message: string,
    { waited, cause }: { readonly waited: number | undefined; readonly cause: unknown },
  ) {
    super(message, { cause });
    this.waited = waited;
  }
}

/**
 * Fetches, and gives up if the whole response is not there in time.
 * @param hint what to do after a timeout, in a sentence
 * @throws {NoResponse} if there is none; if the caller's own signal aborted, its error unchanged
 */
export async function fetchInTime(
  url: string,
  init: RequestInit = {},
  hint = 'If this was a change, check whether it was made before you try again.',
): Promise<Response> {
  const late = AbortSignal.timeout(patience);
  try {
    const response = await fetch(url, {
      ...init,
      signal: AbortSignal.any([late, ...(init.signal ? [init.signal] : [])]),
    });
    // These have no body, and a Response with one cannot be created.
    if ([204, 205, 304].includes(response.status)) return response;
    return new Response(await response.text(), response);
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    const waited = late.aborted ? patience / 1_000 : undefined;
    const message =
      waited === undefined
        ? 'Keyward cannot be reached. Check your connection and try again.'
        : `Keyward did not respond within ${waited} seconds. ${hint}`;
    throw new NoResponse(message, { waited, cause });
  }
}
