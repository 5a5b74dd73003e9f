import { Agent } from 'node:http';
import { type ExactRequest, send } from './exact-client.ts';
import { decode, type Reading, readers } from './path-readers.ts';

/** What became of a request. */
export interface Outcome extends Partial<Reading> {
  readonly status: number | undefined;
  /** The target as it came to the application, decoded; undefined where none came. */
  readonly target: string | undefined;
}

const parse = (body: string): Partial<Reading> => {
  try {
    return JSON.parse(body) as Reading;
  } catch {
    return {};
  }
};

/** Sends a request, and once more on a new connection where the kept one was closed at that moment. */
async function sendKept(url: string, request: ExactRequest) {
  try {
    return await send(url, request);
  } catch {
    return await send(url, { ...request, agent: false });
  }
}

/**
 * Asks each application for each target, over connections that are kept.
 * @param url of a proxy before the applications, or of themselves
 * @param secret the API key that is sent along
 */
export async function askPathReaders(url: string, targets: readonly string[], secret: string) {
  const { host } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const ask = async (reader: string, target: string): Promise<Outcome> => {
    const headers = [
      ['X-Reader', reader],
      ['X-API-Key', secret],
    ] as const;
    const exact = { target: target.replaceAll('HOST', host), headers, agent };
    const { status, headers: answered, body } = await sendKept(url, exact);
    const given = answered['x-target'];
    return { status, target: given && decode(decodeURIComponent(`${given}`)), ...parse(body) };
  };
  const all = readers.flatMap((reader) => targets.map((target) => ({ reader, target })));
  const outcomes = await Promise.all(
    all.map(async ({ reader, target }) => ({
      asked: `${reader}: ${target}`,
      ...(await ask(reader, target)),
    })),
  );
  agent.destroy();
  return outcomes;
}
