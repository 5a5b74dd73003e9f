import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** Long enough for a busy machine. */
const patience = 30_000;

const isAnswered = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(patience) }).then(
    () => true,
    () => false,
  );

/**
 * Starts a proxy, or another server of somebody else's, as the user that the test runs as, and waits until it answers.
 * @param folder its home, where it may keep files
 * @param url where it listens
 * @param env variables beside that of its home
 * @throws {Error} with what it printed, where it does not start
 */
export async function startProxy(
  program: string,
  args: readonly string[],
  folder: string,
  url: string,
  env: NodeJS.ProcessEnv = {},
) {
  const child = spawn(program, args, {
    cwd: folder,
    env: { HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  await once(child, 'spawn');
  const ended = once(child, 'close');
  const until = performance.now() + patience;
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  while (!(await isAnswered(url))) {
    if (child.exitCode === null && performance.now() < until) {
      await delay(20);
      continue;
    }
    await stop();
    throw new Error(`${program} does not start: ${output}`);
  }
  return { url, output: () => output, [Symbol.asyncDispose]: stop };
}
