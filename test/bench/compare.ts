import { isDeepStrictEqual } from 'node:util';
import { send } from './http.ts';
import type { Operation } from './operation.ts';
import type { Server } from './servers.ts';
import { watchEvents } from './written-events.ts';

/** A server that answers an operation, and the first answer that is not Keyward's; undefined where there is none. */
export interface Comparison {
  readonly server: Server;
  readonly operation: Operation;
  readonly difference: string | undefined;
}

/** Lets the requests of an operation do again what they can do only once. */
export function undo({
  server: { databaseFile },
  operation,
}: Pick<Comparison, 'server' | 'operation'>): void {
  if (databaseFile !== undefined) operation.undo?.(databaseFile);
}

/** What a server answers, and last what it wrote down of it. */
async function behaviourOf(server: Server, { probes }: Operation) {
  const readEvents = watchEvents(server);
  const seen: { readonly name: string; readonly value: unknown }[] = [];
  for (const { name, request, view } of probes)
    seen.push({ name, value: view(await send(server.url, request)) });
  return [...seen, { name: 'audit events', value: readEvents() }];
}

/**
 * Asks all servers the same, and compares what they answer and write down with what the first one does.
 * @param servers the first one is Keyward
 */
export async function compareAnswers(
  operation: Operation,
  servers: readonly Server[],
): Promise<readonly Comparison[]> {
  const able = servers.filter(({ kind }) => kind.answers.includes(operation.on));
  for (const server of able) undo({ server, operation });
  const all = await Promise.all(able.map((server) => behaviourOf(server, operation)));
  const expected = all[0] ?? [];
  return able.map((server, index) => {
    const actual = all[index] ?? [];
    const at = actual.findIndex(({ value }, place) => !isDeepStrictEqual(value, expected[place]?.value));
    const difference =
      at < 0
        ? undefined
        : `${actual[at]?.name}: ${JSON.stringify(actual[at]?.value)}, and not ${JSON.stringify(expected[at]?.value)}`;
    return { server, operation, difference };
  });
}
