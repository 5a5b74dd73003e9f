import { Connection } from '../bench/connection.ts';
import { rawRequest } from '../bench/http.ts';
import type { ServiceProcess } from './process.ts';

/** An answered question at the door for proxies. */
interface Answered {
  readonly status: number;
  /** When it was answered, by `performance.now()`. */
  readonly at: number;
  /** How long it took, in milliseconds. */
  readonly took: number;
}

/** Clients that ask at the door for proxies about API keys, each without a pause, until they are stopped. */
export async function loadDoor(nodes: readonly ServiceProcess[], secrets: readonly string[], clients = 16) {
  const answers: Answered[] = [];
  let isRunning = true;
  const loops = Array.from({ length: clients }, async (_, index) => {
    const { port } = nodes[index % nodes.length] as ServiceProcess;
    const connection = await Connection.open(port);
    for (let turn = index; isRunning; turn += clients) {
      const headers = { 'x-api-key': secrets[turn % secrets.length] as string };
      const request = rawRequest(
        { method: 'GET', path: '/api/v1/keys/authorize', headers },
        `127.0.0.1:${port}`,
      );
      const begunAt = performance.now();
      const status = await new Promise<number>((resolve) => connection.send(request, resolve));
      const at = performance.now();
      answers.push({ status, at, took: at - begunAt });
    }
    connection.close();
  });
  const stop = async (): Promise<void> => {
    isRunning = false;
    await Promise.all(loops);
  };
  return {
    /** The answers from a time to another, by `performance.now()`. */
    between: (from: number, to = Number.POSITIVE_INFINITY): Answered[] =>
      answers.filter(({ at }) => at >= from && at < to),
    /** Waits until so many more were answered. */
    untilAnswered: async (more: number): Promise<void> => {
      const enough = answers.length + more;
      while (answers.length < enough) await new Promise((resolve) => setTimeout(resolve, 5));
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** How often each status was answered. */
export function statusesOf(answers: readonly Answered[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
