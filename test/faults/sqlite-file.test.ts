import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { report, rounds, send, type Writer } from '../support/ledger.ts';
import {
  createTemporaryFolder,
  freePort,
  runScript,
  runService,
  type ServiceProcess,
  startProcess,
} from '../support/process.ts';
import { canMount } from '../support/tiny-disk.ts';

const signedIn = async (service: ServiceProcess): Promise<Pick<Writer, 'token'>> => ({
  token: await service.token('alice'),
});

const write = (service: ServiceProcess, writer: Pick<Writer, 'token'>, seconds = 3600) =>
  send(service.url, writer, 'PUT', '/automation/settings', { session_duration: seconds });

/** Mounts a file alone on another one, until it is disposed of. */
function mountFile(file: string, place: string): Disposable {
  writeFileSync(place, '');
  const { status, stderr } = spawnSync('mount', ['--bind', file, place], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return { [Symbol.dispose]: () => void spawnSync('umount', [place]) };
}

it("is for one process, whatever the file's name is, and even if its lock file is deleted", async () => {
  await using folder = await createTemporaryFolder();
  await using service = await startProcess(folder.path);
  const writer = await signedIn(service);
  const { databaseFile: file } = service;
  /** What a second process says that is to use this file; it must end. */
  const refusal = async (path: string) => {
    const { code, stderr } = await runService(folder.path, { DATABASE_URL: `sqlite:${path}`, PORT: '0' });
    return `${code}: ${stderr.split('\n')[1]?.trim()}`;
  };
  const inUse = '1: DATABASE_URL names .*/data/keyward.db, which another process of Keyward is using$';

  expect(await refusal(file)).toMatch(new RegExp(inUse));
  const link = join(folder.path, 'link.db');
  symlinkSync(file, link);
  expect(await refusal(link)).toMatch(new RegExp(inUse));
  const folderLink = join(folder.path, 'folder');
  symlinkSync(join(file, '..'), folderLink);
  expect(await refusal(join(folderLink, 'keyward.db'))).toMatch(new RegExp(inUse));

  // The first notices within a second that its lock file was away, and makes it anew.
  const madeAnew = () => service.output.stdout.match(/keyward\.db\.lock was deleted or replaced/g)?.length;
  rmSync(`${file}.lock`);
  await expect.poll(madeAnew).toBe(1);
  expect(await refusal(file)).toMatch(new RegExp(inUse));
  writeFileSync(`${file}.new`, '');
  renameSync(`${file}.new`, `${file}.lock`);
  await expect.poll(madeAnew).toBe(2);
  expect(await refusal(file)).toMatch(new RegExp(inUse));

  const hard = join(folder.path, 'hard.db');
  linkSync(file, hard);
  expect(await refusal(hard)).toMatch(/^1: DATABASE_URL names .*hard\.db, which has 2 names \(hard links\)/);
  rmSync(hard);
  if (canMount()) {
    const place = join(folder.path, 'mounted a file.db');
    using _mounted = mountFile(file, place);
    expect(await refusal(place)).toMatch(/^1: DATABASE_URL names .*, which is mounted by itself/);
  }

  // The first works on.
  expect((await write(service, writer))?.status).toBe(200);
  expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
});

/** What befalls a file, with the path of a backup of it, and what is said of it. */
const misfortunes: readonly (readonly [
  what: string,
  happen: (file: string, backup: string) => void,
  said: RegExp,
])[] = [
  ['overwritten by a backup', (file, backup) => copyFileSync(backup, file), /was overwritten$/],
  ['deleted', (file) => rmSync(file), /keyward\.db was deleted or replaced$/],
  [
    'replaced by a backup',
    (file, backup) => {
      copyFileSync(backup, `${file}.new`);
      renameSync(`${file}.new`, file);
    },
    /keyward\.db was deleted or replaced$/,
  ],
  ['moved away', (file) => renameSync(file, `${file}.old`), /keyward\.db was deleted or replaced$/],
  [
    'moved away, and back as a copy',
    (file) => {
      renameSync(file, `${file}.old`);
      copyFileSync(`${file}.old`, file);
    },
    /keyward\.db was deleted or replaced$/,
  ],
  ['emptied', (file) => truncateSync(file), /was overwritten$/],
  [
    'overwritten with zeros',
    (file) => writeFileSync(file, Buffer.alloc(readFileSync(file).length)),
    /was overwritten$/,
  ],
  ['robbed of its log', (file) => rmSync(`${file}-wal`), /keyward\.db-wal was deleted or replaced$/],
];

it.each(misfortunes.slice(0, rounds(misfortunes.length, 2)))(
  'acknowledges no write once its file is %s, and says why',
  async (what, happen, said) => {
    await using folder = await createTemporaryFolder();
    await using service = await startProcess(folder.path);
    const writer = await signedIn(service);
    const { databaseFile: file } = service;
    const backup = join(folder.path, 'backup.db');
    await runScript('dist/server/backup.js', [backup], {
      cwd: folder.path,
      env: { DATA_DIR: service.dataDir },
    });
    for (let seconds = 100; seconds < 130; seconds += 1)
      expect((await write(service, writer, seconds))?.status).toBe(200);
    const readable = new Sqlite(backup, { readonly: true });
    expect(readable.pragma('integrity_check', { simple: true })).toBe('ok');
    readable.close();

    happen(file, backup);
    const statuses = new Map<number | undefined, number>();
    for (let count = 0; count < 50; count += 1) {
      const status = (await write(service, writer, 200 + count))?.status;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    report(`a database file that was ${what}`, { answers: Object.fromEntries(statuses) });
    expect(Object.fromEntries(statuses)).toEqual({ 503: 50 });

    await delay(1000);
    const ready = await fetch(`${service.url}/health/ready`);
    const answer = {
      status: 'unavailable',
      faults: [{ part: 'database', fault: expect.stringMatching(said) }],
    };
    expect([ready.status, await ready.json()]).toEqual([503, answer]);
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
    // It is said once, whoever asks how often.
    await delay(1000);
    await fetch(`${service.url}/health/ready`);
    await expect
      .poll(() => service.output.stdout.match(/"msg":"not ready: a dependency is unavailable"/g))
      .toHaveLength(1);
  },
);

it('does not change a backup that replaced its file, and starts with it', async () => {
  await using folder = await createTemporaryFolder();
  const backup = join(folder.path, 'backup.db');
  const env = { PORT: `${await freePort()}` };
  {
    await using service = await startProcess(folder.path, env);
    const writer = await signedIn(service);
    await write(service, writer, 100);
    await runScript('dist/server/backup.js', [backup], {
      cwd: folder.path,
      env: { DATA_DIR: service.dataDir },
    });
    for (let seconds = 200; seconds < 300; seconds += 1) await write(service, writer, seconds);
    copyFileSync(backup, service.databaseFile);
    expect((await write(service, writer, 300))?.status).toBe(503);
    service.signal('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(service.databaseFile).equals(readFileSync(backup))).toBe(true);
    expect(existsSync(`${service.databaseFile}-wal.overwritten`)).toBe(true);
  }
  await using service = await startProcess(folder.path, env);
  const stored = await send(service.url, await signedIn(service), 'PUT', '/automation/settings', {});
  expect(await stored?.json()).toMatchObject({ session_duration: 100 });
});

it('accepts writes again once its file is back', async () => {
  await using folder = await createTemporaryFolder();
  await using service = await startProcess(folder.path);
  const writer = await signedIn(service);
  const { databaseFile: file } = service;
  const elsewhere = join(folder.path, 'elsewhere');
  mkdirSync(elsewhere);
  renameSync(file, join(elsewhere, 'keyward.db'));
  expect((await write(service, writer))?.status).toBe(503);
  renameSync(join(elsewhere, 'keyward.db'), file);
  expect((await write(service, writer))?.status).toBe(200);
});
