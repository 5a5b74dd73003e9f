import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { root } from './process.ts';

/** How much memory a process has had at most, in megabytes (Linux). */
const peakOf = (pid: number): number =>
  Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);

/**
 * Starts `keys:import`, `keys:export` or `keys:end`, and gives it lines by a pipe.
 * @param lines none where it reads nothing
 */
export function startTransfer(
  command: 'import' | 'export' | 'end',
  args: readonly string[],
  { cwd, env, lines = [] }: { cwd: string; env: Record<string, string>; lines?: Iterable<string> },
) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [join(root, `dist/server/${command}.js`), ...args], {
    cwd,
    env: { PATH, HOME, ...env },
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  let peak = 0;
  const look = () => {
    try {
      peak = Math.max(peak, peakOf(child.pid ?? 0) || 0);
    } catch {
      // It has ended, or there is no /proc.
    }
  };
  const timer = setInterval(look, 100);
  const startedAt = performance.now();
  // One that has ended reads no more.
  const given = pipeline(Readable.from(lines), child.stdin).catch(() => {});
  const ended = once(child, 'close').then(async ([code]) => {
    clearInterval(timer);
    await given;
    const seconds = (performance.now() - startedAt) / 1000;
    return { code: code as number | null, ...output, peak, seconds };
  });
  return {
    output,
    ended,
    /** Ends it at once, as `kill -9` does. */
    kill: () => {
      child.kill('SIGKILL');
      return ended;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Runs one of them to its end. */
export const runTransfer = async (...given: Parameters<typeof startTransfer>) => {
  await using running = startTransfer(...given);
  return await running.ended;
};
