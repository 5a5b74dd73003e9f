import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPrivately, makePrivate, refuseLinks } from '../../../../src/database/sqlite/file.ts';
import { createTemporaryFolder } from '../../../support/process.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let file: string;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  file = join(folder.path, 'one', 'two', 'keyward.db');
});
afterEach(() => folder[Symbol.asyncDispose]());

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe.runIf(process.platform !== 'win32')('createPrivately', () => {
  it('a new file in new folders → only their owner has access, whatever the umask', () => {
    const umask = process.umask(0);
    createPrivately(file);
    process.umask(umask);
    expect(modeOf(file)).toBe('600');
    expect(modeOf(join(file, '..'))).toBe('700');
    expect(modeOf(join(file, '../..'))).toBe('700');
  });

  it('an existing file → only its owner can read it, and its content stays', () => {
    const path = join(folder.path, 'keyward.db');
    writeFileSync(path, 'rows', { mode: 0o644 });
    createPrivately(path);
    expect(modeOf(path)).toBe('600');
    expect(readFileSync(path, 'utf8')).toBe('rows');
  });
});

describe.runIf(process.platform !== 'win32')('in a folder that others can write to', () => {
  let shared: string;
  let elsewhere: string;
  beforeEach(() => {
    shared = join(folder.path, 'shared');
    elsewhere = join(folder.path, 'elsewhere');
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    file = join(shared, 'keyward.db');
  });

  it.each([
    ['', 'keyward.db'],
    ['-wal', 'keyward.db-wal'],
    ['-shm', 'keyward.db-shm'],
    ['-journal', 'keyward.db-journal'],
    ['.lock', 'keyward.db.lock'],
  ])('a symbolic link in the place of keyward.db%s → refused', (_ending, name) => {
    expect(() => refuseLinks(file)).not.toThrow();
    symlinkSync(elsewhere, join(shared, name));
    expect(() => refuseLinks(file)).toThrow(
      `${join(shared, name)} is a symbolic link, in a folder that others`,
    );
  });

  it('a link in it, reached by a link from another folder → refused', () => {
    const own = join(folder.path, 'own.db');
    symlinkSync('shared/keyward.db', own);
    symlinkSync(elsewhere, file);
    writeFileSync(elsewhere, 'kept', { mode: 0o644 });
    expect(() => createPrivately(own)).toThrow(`${file} is a symbolic link`);
    expect(modeOf(elsewhere)).toBe('644');
  });

  it('a new file, reached by a link from another folder → created; a link as its lock → refused', () => {
    const own = join(folder.path, 'own.db');
    symlinkSync('shared/keyward.db', own);
    expect(createPrivately(own)).toBe(true);
    expect(createPrivately(own)).toBe(false);
    expect(modeOf(file)).toBe('600');
    symlinkSync(elsewhere, `${file}.lock`);
    expect(() => refuseLinks(own)).toThrow(`${file}.lock is a symbolic link`);
  });

  it('a hard link is refused, and the mode of its file stays', () => {
    writeFileSync(elsewhere, 'kept', { mode: 0o644 });
    linkSync(elsewhere, file);
    expect(() => createPrivately(file)).toThrow(`${file} is not a plain file with a single name`);
    expect(modeOf(elsewhere)).toBe('644');
  });

  it('a pipe is refused at once', () => {
    spawnSync('mkfifo', [file]);
    expect(() => makePrivate(file)).toThrow(`${file} is not a plain file with a single name`);
  });
});

it.runIf(process.platform !== 'win32')('links in a circle are refused', () => {
  symlinkSync(join(folder.path, 'a'), join(folder.path, 'b'));
  symlinkSync(join(folder.path, 'b'), join(folder.path, 'a'));
  expect(() => createPrivately(join(folder.path, 'a'))).toThrow('ELOOP');
});

it.runIf(process.platform !== 'win32')(
  'a link to ../ inside a linked folder → followed from the real folder',
  () => {
    mkdirSync(join(folder.path, 'one', 'two'), { recursive: true });
    symlinkSync(join(folder.path, 'one', 'two'), join(folder.path, 'linked'));
    symlinkSync('../rows.db', join(folder.path, 'one', 'two', 'keyward.db'));
    createPrivately(join(folder.path, 'linked', 'keyward.db'));
    expect(existsSync(join(folder.path, 'one', 'rows.db'))).toBe(true);
  },
);
