import { chmod, mkdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTemporaryFolder, runScript, runService, startProcess } from '../support/process.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let data: string;
let elsewhere: string;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  data = join(folder.path, 'data');
  elsewhere = join(folder.path, 'elsewhere');
  await mkdir(data);
});
afterEach(() => folder[Symbol.asyncDispose]());

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

/** The files that a start makes in its data folder. */
const files = ['keyward.db', 'keyward.db.lock', 'development-secrets.env'];

describe.each([
  ['everybody', 0o777],
  ['everybody, and keep others from deleting (as /tmp)', 0o1777],
  ['its group', 0o770],
])('a data folder that is writable for %s', (_whom, mode) => {
  beforeEach(() => chmod(data, mode));

  it('is used, with a warning', async () => {
    await using service = await startProcess(folder.path);
    expect(service.output.stdout).toContain(`others can write to ${data}`);
    for (const name of files) expect(await modeOf(join(data, name))).toBe('600');
  });

  it.each(files)('is refused if %s is a link, and nothing elsewhere changes', async (name) => {
    await writeFile(elsewhere, 'kept', { mode: 0o644 });
    await symlink(elsewhere, join(data, name));
    const ended = await runService(folder.path, { PORT: '0', DATA_DIR: data });
    expect(ended).toMatchObject({ code: 1 });
    expect(ended.stderr).toContain(`${join(data, name)} is a symbolic link`);
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(2);
    expect(await modeOf(elsewhere)).toBe('644');
    expect(await readFile(elsewhere, 'utf8')).toBe('kept');
  });

  it.each(files)('is refused if %s is a link, and nothing elsewhere is created', async (name) => {
    await symlink(elsewhere, join(data, name));
    const ended = await runService(folder.path, { PORT: '0', DATA_DIR: data });
    expect(ended).toMatchObject({ code: 1 });
    expect(ended.stderr).toContain(`${join(data, name)} is a symbolic link`);
    await expect(stat(elsewhere)).rejects.toThrow('ENOENT');
  });
});

it('a link instead of the lock leaves no empty database behind', async () => {
  await chmod(data, 0o777);
  await symlink(elsewhere, join(data, 'keyward.db.lock'));
  await runService(folder.path, { PORT: '0', DATA_DIR: data });
  await expect(stat(join(data, 'keyward.db'))).rejects.toThrow('ENOENT');
});

it('says which link is there instead of the log', async () => {
  await chmod(data, 0o777);
  await (await startProcess(folder.path))[Symbol.asyncDispose]();
  const log = join(data, 'keyward.db-wal');
  await rm(log, { force: true });
  await symlink(elsewhere, log);
  const ended = await runService(folder.path, { PORT: '0', DATA_DIR: data });
  expect(ended).toMatchObject({ code: 1 });
  expect(ended.stderr).toContain(`${log} is a symbolic link`);
});

it.each([
  ['db:backup', 'backup.js'],
  ['keys:export', 'export.js'],
])('%s follows no link there', async (_name, program) => {
  await (await startProcess(folder.path))[Symbol.asyncDispose]();
  await rename(data, elsewhere);
  await mkdir(data);
  await chmod(data, 0o777);
  await symlink(join(elsewhere, 'keyward.db'), join(data, 'keyward.db'));
  const target = join(folder.path, 'copy');
  const { stderr, code } = await runScript(`dist/server/${program}`, [target], {
    cwd: folder.path,
    env: { DATA_DIR: data },
  });
  expect(code).toBe(1);
  expect(stderr).toContain(`${join(data, 'keyward.db')} is a symbolic link`);
  await expect(stat(target)).rejects.toThrow('ENOENT');
});

it('in a folder that only its owner can write to, the database may be a link', async () => {
  await chmod(data, 0o755);
  await symlink(elsewhere, join(data, 'keyward.db'));
  await using service = await startProcess(folder.path);
  expect(service.output.stdout).not.toContain('others can write');
  expect(await modeOf(elsewhere)).toBe('600');
});
