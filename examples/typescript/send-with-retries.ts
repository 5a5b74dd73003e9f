import { setTimeout as delay } from 'node:timers/promises';

const attempts = 4;

/** Seconds until the next attempt: what the server asks for, else 0.5, 1, 2. */
const secondsToWait = (response: Response | undefined, attempt: number): number =>
  Number(response?.headers.get('retry-after') ?? 2 ** (attempt - 2));

/** 429 refuses before anything is done. What was answered 503 may have been done all the same. */
const mayRepeat = ({ status }: Response, repeatable: boolean): boolean =>
  status === 429 || (status === 503 && repeatable);

/**
 * Sends a request, and sends it again where the server is busy or away: four times at most.
 * @param repeatable whether doing it twice is as good as once
 * @returns the first answer that is final, or the last one
 * @throws {TypeError} no answer came
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
