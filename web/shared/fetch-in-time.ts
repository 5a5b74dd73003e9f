/** How long a response may take, in milliseconds. */
const patience = 15_000;

/**
 * Fetches, and gives up if the whole response is not there in time.
 * @param hint what to do after a timeout, in a sentence
 * @throws {Error} with a sentence for a person; if the caller's own signal aborted, its error unchanged
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
    throw new Error(
      late.aborted
        ? `Keyward did not respond within ${patience / 1_000} seconds. ${hint}`
        : 'Keyward cannot be reached. Check your connection and try again.',
      { cause },
    );
  }
}
