import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/**
 * Runs a command to its end and returns what it printed.
 * @param input what it reads
 * @throws {Error} where it fails, or is not there
 */
export async function runCommand(command: string, args: readonly string[], input = ''): Promise<string> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  child.stdin.end(input);
  const [output, [code]] = await Promise.all([text(child.stdout), ended]);
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
  return output;
}
