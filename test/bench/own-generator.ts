import { join } from 'node:path';
import { rawRequest } from './http.ts';
import type { PacedLoad, Target } from './load.ts';
import { runCommand } from './run-command.ts';

/** What the generator is told. */
export interface Job {
  readonly port: number;
  /** As they go over the wire. */
  readonly requests: readonly string[];
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second; left out: as many as are answered. */
  readonly rate?: number;
}

/** Runs the project's own load generator, a process of its own; where it has a rate, as an open loop. */
export async function generate(
  { url, requests }: Target,
  options: Pick<Job, 'connections' | 'seconds' | 'rate'>,
): Promise<PacedLoad> {
  const { host, port } = new URL(url);
  const job: Job = {
    port: Number(port),
    requests: requests.map((request) => rawRequest(request, host)),
    ...options,
  };
  const script = join(import.meta.dirname, 'generator.ts');
  return JSON.parse(await runCommand(process.execPath, [script], JSON.stringify(job)));
}
