import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** What came of requests that were sent. */
export interface LoadResult {
  /** How many answers there were of each status; 0: none came. */
  readonly statuses: Map<number, number>;
  /** How long each took that was answered 200, in milliseconds. */
  readonly served: number[];
  /** How long it took until the last was answered, in milliseconds. */
  readonly milliseconds: number;
}

/**
 * Sends writes of some people by turns, on connections that are kept, as a proxy does.
 * @param connections the most of them
 */
export function createSender(url: string, tokens: readonly string[], connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, maxFreeSockets: connections });
  const body = '{"is_enabled":true}';
  const headersOf = tokens.map((token) => ({
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': body.length,
  }));
  let turn = 0;
  const sendOne = (): Promise<number> =>
    new Promise((resolve) => {
      turn = (turn + 1) % headersOf.length;
      const headers = headersOf[turn] ?? {};
      const outgoing = request(
        `${url}/api/v1/automation/settings`,
        { method: 'PUT', agent, headers },
        (response) => {
          response.resume().on('end', () => resolve(response.statusCode ?? 0));
        },
      );
      // A connection that was idle may be closed just when it is used again: any client then takes another.
      outgoing.on('error', () => resolve(outgoing.reusedSocket ? sendOne() : 0)).end(body);
    });

  const measure = () => {
    const result = { statuses: new Map<number, number>(), served: [] as number[] };
    const startedAt = performance.now();
    const send = async (): Promise<void> => {
      const sentAt = performance.now();
      const status = await sendOne();
      result.statuses.set(status, (result.statuses.get(status) ?? 0) + 1);
      if (status === 200) result.served.push(performance.now() - sentAt);
    };
    return { send, finish: (): LoadResult => ({ ...result, milliseconds: performance.now() - startedAt }) };
  };

  return {
    /** Opens all connections, by requests that cost next to nothing: Node accepts one in each turn of its loop. */
    connect: async (): Promise<void> => {
      const ask = () => once(request(`${url}/health/live`, { agent }).end(), 'response');
      const answers = await Promise.all(Array.from({ length: connections }, ask));
      await Promise.all(answers.map(([response]) => once(response.resume(), 'end')));
    },
    /** As many at once as it is told, the next when one is answered. */
    closedLoop: async (atOnce: number, milliseconds: number): Promise<LoadResult> => {
      const { send, finish } = measure();
      const end = performance.now() + milliseconds;
      const repeat = async () => {
        while (performance.now() < end) await send();
      };
      await Promise.all(Array.from({ length: atOnce }, repeat));
      return finish();
    },
    /** So many a second, whether or not they are answered. */
    openLoop: async (perSecond: number, milliseconds: number): Promise<LoadResult> => {
      const { send, finish } = measure();
      const startedAt = performance.now();
      const sent: Promise<void>[] = [];
      for (let now = startedAt; now < startedAt + milliseconds; now = performance.now()) {
        while (sent.length < ((now - startedAt) / 1000) * perSecond) sent.push(send());
        await delay(5);
      }
      await Promise.all(sent);
      return finish();
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}
