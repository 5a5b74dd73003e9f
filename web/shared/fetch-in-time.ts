/** How long an answer may take, in milliseconds. */
const patience = 15_000;

/**
 * Fetches, and gives up where the whole answer is not there in time.
 * @param hint what to do where it is not, in a sentence
 * @throws {Error} with a sentence for a person; what the caller's own signal ended is thrown as it is
 */
export async function fetchInTime(
  url: string,
  init: RequestInit = {},
  hint = 'Look whether a change was made before you try again.',
): Promise<Response> {
  const late = AbortSignal.timeout(patience);
  try {
    const response = await fetch(url, {
      ...init,
      signal: AbortSignal.any([late, ...(init.signal ? [init.signal] : [])]),
    });
    // These have no body, and cannot be made with one.
    if ([204, 205, 304].includes(response.status)) return response;
    return new Response(await response.text(), response);
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw new Error(
      late.aborted
        ? `Keyward has not answered for ${patience / 1_000} seconds. ${hint}`
        : 'Keyward cannot be reached. Check your connection and try again.',
      { cause },
    );
  }
}
