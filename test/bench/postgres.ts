import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startPostgres } from '../support/postgres-server.ts';

/** A PostgreSQL server of its own; disposing of it stops and deletes it. */
export async function openPostgres() {
  const { server, folder, url } = await startPostgres();
  const [pid] = (await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n');
  return {
    url,
    pid: Number(pid),
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
