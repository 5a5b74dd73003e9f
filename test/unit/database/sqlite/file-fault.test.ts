import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { describeFault } from '../../../../src/database/sqlite/file.ts';
import { createTemporaryFolder } from '../../../support/process.ts';

let stack: Awaited<ReturnType<typeof createTemporaryFolder>>;
let folder: string;
let file: string;
let owner: number;
beforeAll(async () => {
  stack = await createTemporaryFolder();
  folder = join(stack.path, 'data');
  mkdirSync(folder);
  chmodSync(folder, 0o700);
  file = join(folder, 'keyward.db');
  owner = statSync(folder).uid;
});
afterAll(() => stack[Symbol.asyncDispose]());

const faultOf = (code: string) => describeFault(Object.assign(new Error('refused'), { code }), file);

/** Lets this process seem to run as another user: not as root, who may use all files. */
const runAs = (uid: number) => vi.spyOn(process, 'getuid').mockReturnValue(uid);

describe("another user's database", () => {
  it.each(['EACCES', 'EPERM', 'SQLITE_CANTOPEN', 'SQLITE_READONLY_DBMOVED'])(
    'is named with both users and the remedy: %s',
    (code) => {
      const own = owner + 1;
      runAs(own);
      expect(faultOf(code)).toBe(
        `${folder} belongs to the user with the id ${owner}, and Keyward runs as ${own}: run it as ${owner}, or as root run chown -R ${own} ${folder} (${code})`,
      );
    },
  );

  it('is not blamed for another fault, nor if the files are this user’s or root asks', () => {
    writeFileSync(file, '');
    const usual = 'may this user write to it and to its folder? (EACCES)';
    runAs(owner === 0 ? 0 : owner);
    expect(faultOf('EACCES')).toBe(usual);
    runAs(0);
    expect(faultOf('EACCES')).toBe(usual);
    runAs(owner + 1);
    expect(faultOf('SQLITE_CORRUPT')).toBe('it is no SQLite database, or a damaged one (SQLITE_CORRUPT)');
    expect(describeFault(Object.assign(new Error('refused'), { code: 'EACCES' }))).toBe(usual);
  });
});

describe('a file system that lacks what SQLite needs', () => {
  it.each(['SQLITE_IOERR_SHMMAP', 'SQLITE_IOERR_SHMOPEN', 'SQLITE_IOERR_LOCK', 'SQLITE_IOERR_RDLOCK'])(
    'is named, and not a disk that fails: %s',
    (code) => {
      expect(faultOf(code)).toBe(
        `its file system does not lock files or share memory as SQLite needs it: use a local disk, or PostgreSQL (${code})`,
      );
    },
  );

  it.each(['SQLITE_IOERR_READ', 'SQLITE_IOERR_FSYNC', 'EIO'])(
    'a disk that fails is called so: %s',
    (code) => {
      expect(faultOf(code)).toBe(`its disk fails (${code})`);
    },
  );
});
