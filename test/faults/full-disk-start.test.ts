import { mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTemporaryFolder, runScript, runService, startProcess } from '../support/process.ts';
import { createSqliteFile } from '../support/sqlite-service.ts';
import { canMount, mountTinyDisk } from '../support/tiny-disk.ts';

/** A folder that is a disk of its own, which is full. */
async function mountFullDisk() {
  const stack = new AsyncDisposableStack();
  const path = join(stack.use(await createTemporaryFolder()).path, 'disk');
  mkdirSync(path);
  const disk = stack.use(mountTinyDisk(path));
  return { path, disk, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

// Only some users may mount a file system.
describe.runIf(canMount())('on a full disk', () => {
  it('a backup fails, leaves nothing, and says why', async () => {
    await using folder = await createTemporaryFolder();
    await using full = await mountFullDisk();
    const file = join(folder.path, 'keyward.db');
    await createSqliteFile(file, { people: 1, keysEach: 1, ballast: 2000 });
    full.disk.fill();
    // Room for the first pages, and not for all.
    truncateSync(join(full.path, 'ballast'), statSync(join(full.path, 'ballast')).size - 300_000);
    const target = join(full.path, 'copy.db');
    const ended = await runScript('dist/server/backup.js', [target], {
      cwd: folder.path,
      env: { DATABASE_URL: `sqlite:${file}` },
    });
    expect(ended).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^\S+\/copy\.db was not written: there is no room left on its disk \(SQLITE_\w+\)\.\n$/,
      ),
    });
    expect(readdirSync(full.path)).toEqual(['ballast']);
  });

  it('a start fails, leaves nothing, and says why', async () => {
    await using full = await mountFullDisk();
    full.disk.fill();
    const ended = await runService(full.path, { DATABASE_URL: `sqlite:${join(full.path, 'keyward.db')}` });
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/cannot be used: there is no room left on its disk \(\w+\)\n$/),
    });
    expect(readdirSync(full.path)).toEqual(['ballast']);
  });

  it.each([30, 80, 150])(
    'a start fails with %i KiB left and says why, and a later one works',
    async (left) => {
      await using full = await mountFullDisk();
      full.disk.fill();
      const ballast = join(full.path, 'ballast');
      truncateSync(ballast, statSync(ballast).size - left * 1024);
      const env = { DATABASE_URL: `sqlite:${join(full.path, 'keyward.db')}` };
      expect(await runService(full.path, env)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/cannot be used: there is no room left on its disk \(\w+\)\n$/),
      });
      full.disk.free();
      await using service = await startProcess(full.path, env);
      expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
    },
  );

  it('a start with an existing database fails, says why, and leaves it as it is', async () => {
    await using full = await mountFullDisk();
    const file = join(full.path, 'keyward.db');
    await createSqliteFile(file, { people: 1, keysEach: 1 });
    const { size } = statSync(file);
    full.disk.fill();
    const env = { DATABASE_URL: `sqlite:${file}` };
    expect(await runService(full.path, env)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/cannot be used: there is no room left on its disk \(\w+\)\n$/),
    });
    expect(statSync(file).size).toBe(size);
    full.disk.free();
    await using service = await startProcess(full.path, env);
    expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
  });
});

describe('a database file of 0 bytes', () => {
  it('is reported in the log when it becomes a new database', async () => {
    await using folder = await createTemporaryFolder();
    const file = join(folder.path, 'data', 'keyward.db');
    mkdirSync(join(folder.path, 'data'));
    writeFileSync(file, '');
    await using service = await startProcess(folder.path);
    expect(service.output.stdout).toMatch(/"level":40.*keyward\.db is empty \(0 bytes\): it becomes a new/);
  });

  it('is not reported if there was no file', async () => {
    await using folder = await createTemporaryFolder();
    await using service = await startProcess(folder.path);
    expect(service.output.stdout).not.toMatch(/0 bytes/);
  });

  it('is refused if its write-ahead log has data, which SQLite would delete', async () => {
    await using folder = await createTemporaryFolder();
    {
      await using service = await startProcess(folder.path);
      expect(statSync(`${service.databaseFile}-wal`).size).toBeGreaterThan(0);
    }
    const file = join(folder.path, 'data', 'keyward.db');
    truncateSync(file);
    const { size } = statSync(`${file}-wal`);
    const ended = await runService(folder.path, { DATABASE_URL: `sqlite:${file}` });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/the file was overwritten/) });
    expect(statSync(`${file}-wal`).size).toBe(size);
  });
});
