import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { answerShortly, refusal } from './short-answer.ts';

const ok = '{"status":"ok"}';
const unavailable = '{"status":"unavailable"}';

/**
 * Health, for those who run the service: whether the process lives, and whether it is ready for requests. It is
 * answered in front of everything else, on these request targets to the letter, and says nothing more.
 */
export class Health {
  #isReady: () => boolean | Promise<boolean> = () => false;

  /** From now on it is ready when this says so. */
  serve(isReady: () => Promise<boolean>): void {
    this.#isReady = isReady;
  }

  /**
   * From now on it is not ready.
   * @param milliseconds resolves after them: until then requests still come from those who have yet to notice
   */
  async stop(milliseconds: number): Promise<void> {
    this.#isReady = () => false;
    if (milliseconds > 0) await delay(milliseconds);
  }

  /** Answers a request that asks about health; false for any other. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const { url } = request;
    if (url !== '/health/live' && url !== '/health/ready') return false;
    if (request.method !== 'GET' && request.method !== 'HEAD')
      answerShortly(response, 405, refusal(405), { allow: 'GET, HEAD' });
    else if (url === '/health/live') answerShortly(response, 200, ok);
    else void this.#answerReady(response);
    return true;
  }

  async #answerReady(response: ServerResponse): Promise<void> {
    const isReady = await this.#isReady();
    // It may have been answered for its time-out meanwhile.
    if (response.headersSent) return;
    answerShortly(response, isReady ? 200 : 503, isReady ? ok : unavailable);
  }
}
