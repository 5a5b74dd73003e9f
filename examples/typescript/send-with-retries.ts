import { setTimeout as delay } from 'node:timers/promises';

const attempts = 4;

/** Seconds until the next attempt: what the server asks for, otherwise 0.5, 1, 2. */
const secondsToWait = (response: Response | undefined, attempt: number): number =>
  Number(response?.headers.get('retry-after') ?? 2 ** (attempt - 2));

/** After 429, nothing was done. After 503, the request may have been carried out. */
const mayRepeat = ({ status }: Response, repeatable: boolean): boolean =>
  status === 429 || (status === 503 && repeatable);

/**
 * Sends a request, and sends it again if the server is busy or cannot be reached: at most four times in all.
 * @param repeatable whether a second request does no harm
 * @returns the first response that is final, or the last one
 * @throws {TypeError} if no response came
 */
export async function sendWithRetries(request: Request, repeatable: boolean): Promise<Response> {
  for (let attempt = 1; attempt < attempts; attempt++) {
    const response = await fetch(request.clone()).catch((error: unknown) => {
      if (!repeatable) throw error;
      return undefined;
    });
    if (response && !mayRepeat(response, repeatable)) return response;
    await response?.body?.cancel();
    await delay(1000 * secondsToWait(response, attempt));
  }
  return await fetch(request);
}
