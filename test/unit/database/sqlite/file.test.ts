import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPrivately } from '../../../../src/database/sqlite/file.ts';
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
  it('makes a file and its folders for their owner alone, whatever the umask', () => {
    const umask = process.umask(0);
    createPrivately(file);
    process.umask(umask);
    expect(modeOf(file)).toBe('600');
    expect(modeOf(join(file, '..'))).toBe('700');
    expect(modeOf(join(file, '../..'))).toBe('700');
  });

  it('takes a file that is there from everybody else, and keeps what is in it', () => {
    const path = join(folder.path, 'keyward.db');
    writeFileSync(path, 'rows', { mode: 0o644 });
    createPrivately(path);
    expect(modeOf(path)).toBe('600');
    expect(readFileSync(path, 'utf8')).toBe('rows');
  });
});
