import { readFileSync } from 'node:fs';
import { copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createTemporaryFolder,
  freePort,
  root,
  runCommand,
  runScript,
  startProcess,
} from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';
import { runTransfer } from '../support/transfer-commands.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let env: Record<string, string>;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  // The port is part of the development issuer's name, and so of each account.
  env = { DATA_DIR: join(folder.path, 'data'), PORT: `${await freePort()}`, ...secretVariables() };
});
afterEach(() => folder[Symbol.asyncDispose]());

const end = (args: readonly string[], lines: readonly string[] = []) =>
  runTransfer('end', args, { cwd: folder.path, env, lines });

type Service = Awaited<ReturnType<typeof startProcess>>;

const call = async ({ url, token }: Service, method: string, path = '') => {
  const answer = await fetch(`${url}/api/v1/auth/keys${path}`, {
    method,
    headers: { authorization: `Bearer ${await token('alice')}`, 'content-type': 'application/json' },
    ...(method === 'POST' && { body: '{}' }),
  });
  expect(answer.ok).toBe(true);
  return (await answer.json()) as { id: number; key: string };
};

const authorize = async ({ url }: Service, key: string) =>
  (await fetch(`${url}/api/v1/keys/authorize`, { headers: { 'x-api-key': key } })).status;

/** The documented command that finds the keys in the log. */
const documentedSearch = (): string => {
  const document = readFileSync(join(root, 'docs/operators.md'), 'utf8');
  return /^sed -nE .*since-backup\.log > keys$/m.exec(document)?.[0] ?? '';
};

describe('keys:end', () => {
  it('deactivates the keys that a restored backup brought back, as documented', async () => {
    const copy = join(folder.path, 'backup.db');
    const start = () => startProcess(folder.path, env);
    const useUntilRestore = async () => {
      await using service = await start();
      const [deactivated, rotated, kept] = [
        await call(service, 'POST'),
        await call(service, 'POST'),
        await call(service, 'POST'),
      ];
      expect((await runScript('dist/server/backup.js', [copy], { cwd: folder.path, env })).code).toBe(0);
      const before = service.output.stdout.length;
      await call(service, 'DELETE', `/${deactivated.id}`);
      await call(service, 'POST', `/${rotated.id}/rotate`);
      service.signal('SIGTERM');
      await service.ended;
      await writeFile(join(folder.path, 'since-backup.log'), service.output.stdout.slice(before));
      return { deactivated, rotated, kept, file: service.databaseFile };
    };
    const { deactivated, rotated, kept, file } = await useUntilRestore();
    await copyFile(copy, file);
    for (const suffix of ['-wal', '-shm']) await rm(file + suffix, { force: true });

    const statuses = async (service: Service) => [
      await authorize(service, deactivated.key),
      await authorize(service, rotated.key),
      await authorize(service, kept.key),
    ];
    await using service = await start();
    expect(await statuses(service)).toEqual([200, 200, 200]);

    const searched = await runCommand(['sh', '-c', documentedSearch()], { cwd: folder.path, env: {} });
    expect(searched).toMatchObject({ code: 0, stderr: '' });
    const keys = join(folder.path, 'keys');
    expect(readFileSync(keys, 'utf8')).toBe(`${deactivated.id}\n${rotated.id}\n`);
    expect(await end([keys, '--dry-run'])).toMatchObject({
      code: 0,
      stdout: 'would be deactivated: 2, already inactive: 0, refused: 0\n',
    });
    expect(await statuses(service)).toEqual([200, 200, 200]);
    expect(await end([keys, '--reason', 'Restored from a backup'])).toMatchObject({
      code: 0,
      stdout: 'deactivated: 2, already inactive: 0, refused: 0\n',
      stderr: '',
    });
    expect(await statuses(service)).toEqual([401, 401, 200]);
  }, 60_000);

  it('reads standard input, reports the lines that match no key, and fails', async () => {
    expect((await runScript('dist/server/migrate.js', [], { cwd: folder.path, env })).code).toBe(0);
    expect(await end(['-'], ['1\n', 'sk-000000\n'])).toMatchObject({
      code: 1,
      stdout: 'deactivated: 0, already inactive: 0, refused: 2\n',
      stderr: 'line 1: No key has this id or prefix.\nline 2: No key has this id or prefix.\n',
    });
  });

  it('refuses a missing database, a missing file and a reason that is too long', async () => {
    expect((await end(['keys'])).code).toBe(1);
    expect((await runScript('dist/server/migrate.js', [], { cwd: folder.path, env })).code).toBe(0);
    expect((await end([join(folder.path, 'keys')])).stderr).toContain('ENOENT');
    expect((await end(['-', '--reason', 'x'.repeat(501)])).stderr).toContain('longer than 500 characters');
    expect((await end([])).code).toBe(2);
  });
});
