import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand, runService, startProcess } from '../support/process.ts';
import { canRun } from '../support/programs.ts';

const hasBindfs = canRun(
  'bindfs',
  'no other file system is mounted',
  ['-c', 'bindfs --version && test -w /dev/fuse'],
  'sh',
);

let folder: string;
let place: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyward-'));
  place = join(folder, 'mounted');
  await mkdir(place);
  await mkdir(join(folder, 'source'));
});
const run = (command: readonly string[]) => runCommand(command, { cwd: folder, env: {} });
afterEach(async () => {
  await run(['fusermount', '-u', place]);
  await rm(folder, { recursive: true, force: true });
});
const mount = async (...options: string[]) =>
  expect(await run(['bindfs', ...options, 'source', place])).toMatchObject({ code: 0, stderr: '' });

describe.runIf(hasBindfs)('data on a file system', () => {
  it('without shared memory → no start, and the reason in words', async () => {
    await mount('-o', 'direct_io');
    const ended = await runService(folder, { PORT: '0', DATA_DIR: join(place, 'data') });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain(
      'its file system does not lock files or share memory as SQLite needs it: use a local disk, or PostgreSQL (SQLITE_IOERR_SHM',
    );
  });

  it('that ignores chmod, as mounts of other systems do → works, with a warning', async () => {
    await mount('--perms=0777', '--chmod-ignore');
    await using service = await startProcess(folder, { DATA_DIR: join(place, 'data') });
    expect(service.output.stdout).toContain(`others can write to ${join(place, 'data')}`);
    const headers = {
      authorization: `Bearer ${await service.token('alice')}`,
      'content-type': 'application/json',
    };
    const created = await fetch(`${service.url}/api/v1/auth/keys`, { method: 'POST', headers, body: '{}' });
    expect(created.status).toBe(201);
  });
});
