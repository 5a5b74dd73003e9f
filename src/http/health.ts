import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { isLocal } from './is-local.ts';
import { answerShortly, refusal } from './short-answer.ts';

const ok = '{"status":"ok"}';
const unavailable = '{"status":"unavailable"}';

/** A part of the service that cannot be used, and why not, in words. */
export interface Part {
  readonly part: 'database' | 'verification keys';
  /** Whose keys they are. */
  readonly issuer?: string;
  readonly fault: string;
}

/** Whether requests can be served. */
export interface Verdict {
  readonly isReady: boolean;
  /** What cannot be used; where some still can be served, it may be ready all the same. */
  readonly faults: readonly Part[];
}

const notReady: Verdict = { isReady: false, faults: [] };

/**
 * Health, for those who run the service: whether the process lives, and whether it is ready for requests. It is
 * answered in front of everything else, on these request targets to the letter. Which part is not ready is said to
 * whoever asks on this machine, and to nobody else.
 */
export class Health {
  #ask: () => Verdict | Promise<Verdict> = () => notReady;

  /** From now on it is ready when this says so. */
  readyBy(ask: () => Promise<Verdict>): void {
    this.#ask = ask;
  }

  /**
   * From now on it is not ready.
   * @param milliseconds resolves after them: until then requests still come from those who have yet to notice
   */
  async stop(milliseconds: number): Promise<void> {
    this.#ask = () => notReady;
    if (milliseconds > 0) await delay(milliseconds);
  }

  /** Answers a request that asks about health; false for any other. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const { url } = request;
    if (url !== '/health/live' && url !== '/health/ready') return false;
    if (request.method !== 'GET' && request.method !== 'HEAD')
      answerShortly(response, 405, refusal(405), { allow: 'GET, HEAD' });
    else if (url === '/health/live') answerShortly(response, 200, ok);
    else void this.#answerReady(request, response);
    return true;
  }

  async #answerReady(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { isReady, faults } = await this.#ask();
    // It may have been answered for its time-out meanwhile.
    if (response.headersSent) return;
    if (isReady) answerShortly(response, 200, ok);
    else answerShortly(response, 503, isLocal(request) ? unavailableFor(faults) : unavailable);
  }
}

const unavailableFor = (faults: readonly Part[]): string =>
  faults.length === 0 ? unavailable : JSON.stringify({ status: 'unavailable', faults });
