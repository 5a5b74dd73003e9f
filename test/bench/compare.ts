import { isDeepStrictEqual } from 'node:util';
import { send } from './http.ts';
import type { Operation } from './operation.ts';
import type { Server } from './servers.ts';

/** A server that answers an operation, and the first answer that is not Keyward's; undefined where there is none. */
export interface Comparison {
  readonly server: Server;
  readonly operation: Operation;
  readonly difference: string | undefined;
}

const answersOf = async ({ url }: Server, { probes }: Operation) => {
  const answers: unknown[] = [];
  for (const { request, view } of probes) answers.push(view(await send(url, request)));
  return answers;
};

/**
 * Asks all servers the same, and compares what they answer with the first one's.
 * @param servers the first one is Keyward
 */
export async function compareAnswers(
  operation: Operation,
  servers: readonly Server[],
): Promise<readonly Comparison[]> {
  const able = servers.filter(({ kind }) => kind.answers.includes(operation.on));
  const answers = await Promise.all(able.map((server) => answersOf(server, operation)));
  const expected = answers[0] ?? [];
  return able.map((server, index) => {
    const actual = answers[index] ?? [];
    const at = operation.probes.findIndex(
      (_probe, probe) => !isDeepStrictEqual(actual[probe], expected[probe]),
    );
    const difference =
      at < 0
        ? undefined
        : `${operation.probes[at]?.name}: ${JSON.stringify(actual[at])}, and not ${JSON.stringify(expected[at])}`;
    return { server, operation, difference };
  });
}
