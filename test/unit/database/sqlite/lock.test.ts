import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from '../../../../src/config/config-error.ts';
import { lockFile } from '../../../../src/database/sqlite/held-file.ts';
import { createTemporaryFolder, root, startModule } from '../../../support/process.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let file: string;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  file = join(folder.path, 'one', 'two', 'keyward.db');
});
afterEach(() => folder[Symbol.asyncDispose]());

describe('lockFile', () => {
  /** Another process that holds the file, or tries to: what it says of it stands in its output. */
  const holdElsewhere = () =>
    startModule(`
      import { lockFile } from ${JSON.stringify(join(root, 'src/database/sqlite/held-file.ts'))};
      try {
        globalThis.lock = lockFile(${JSON.stringify(file)});
        console.log('held');
        setInterval(() => {}, 1000);
      } catch (error) {
        console.log(error.message);
      }`);

  const refused = () =>
    `Keyward cannot start with this configuration:\n  DATABASE_URL names ${file}, which another process of Keyward is using`;

  it('a file that another process has locked → refused with a message', async () => {
    await using other = await holdElsewhere();
    expect(other.output).toEqual({ stdout: 'held\n', stderr: '' });
    const attempt = () => lockFile(file);
    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow(refused());
  });

  it('a file locked here → another process is refused, until the lock is released', async () => {
    const lock = lockFile(file);
    await using refusedProcess = await holdElsewhere();
    expect(refusedProcess.output.stdout).toBe(`${refused()}\n`);
    lock[Symbol.dispose]();
    await using admitted = await holdElsewhere();
    expect(admitted.output.stdout).toBe('held\n');
  });

  it('a second lock by the same process → refused, and other processes are still refused', async () => {
    using _lock = lockFile(file);
    expect(() => lockFile(file)).toThrow(refused());
    await using other = await holdElsewhere();
    expect(other.output.stdout).toBe(`${refused()}\n`);
  });

  it('the process that has the lock is killed → the file can be locked', async () => {
    await using other = await holdElsewhere();
    expect(() => lockFile(file)).toThrow(refused());
    await other.kill();
    using lock = lockFile(file);
    expect(lock).toBeDefined();
  });

  it('another file in the same folder → can be locked', async () => {
    await using other = await holdElsewhere();
    expect(other.output.stdout).toBe('held\n');
    using lock = lockFile(join(file, '../other.db'));
    expect(lock).toBeDefined();
  });
});
