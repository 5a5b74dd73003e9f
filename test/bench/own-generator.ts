import { join } from 'node:path';
import type { HttpRequest } from './http.ts';
import { peersFolder } from './install-peers.ts';
import type { PacedLoad, Target } from './load.ts';
import { runCommand } from './run-command.ts';

interface Job extends Target {
  readonly connections: number;
  readonly seconds: number;
  readonly rate?: number;
}

/** Runs the project's own load generator, a process of its own; where it has a rate, as an open loop. */
export async function generate(job: Job): Promise<PacedLoad> {
  const requests = job.requests.map(({ method, path, headers, body }: HttpRequest) => ({
    method,
    path,
    headers,
    body: body ?? null,
  }));
  const script = join(peersFolder, 'generator.ts');
  return JSON.parse(await runCommand(process.execPath, [script], JSON.stringify({ ...job, requests })));
}
