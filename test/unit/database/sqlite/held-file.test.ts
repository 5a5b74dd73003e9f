import { copyFileSync, existsSync, linkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigError } from '../../../../src/config/config-error.ts';
import { HeldFile, unmark } from '../../../../src/database/sqlite/held-file.ts';
import { createTemporaryFolder } from '../../../support/process.ts';

let stack: AsyncDisposableStack;
let file: string;
const warn = vi.fn();
beforeEach(async () => {
  stack = new AsyncDisposableStack();
  file = join(stack.use(await createTemporaryFolder()).path, 'keyward.db');
  warn.mockReset();
});
afterEach(() => stack.disposeAsync());

/** Takes the file and opens it as SQLite's driver does. */
function open() {
  const held = stack.use(new HeldFile(file, warn));
  const writer = stack.adopt(new Sqlite(file, { timeout: 0 }), (connection) => void connection.close());
  writer.pragma('journal_mode = wal');
  return { held, writer };
}

function openAndWatch() {
  const { held, writer } = open();
  held.watch(writer);
  writer.exec('create table word (text)');
  return { held, writer };
}

/** Another database that is in use now, as a backup of it. */
function copyOf(writer: Sqlite.Database): string {
  const path = `${file}.copy`;
  writer.exec(`vacuum into '${path}'`);
  const copy = new Sqlite(path);
  unmark(copy);
  copy.close();
  return path;
}

describe('a database file in use', () => {
  it('many writes, a vacuum and a checkpoint → still whole, without a warning', () => {
    const { held, writer } = openAndWatch();
    for (let count = 0; count < 20; count += 1) {
      writer.exec('insert into word values (hex(zeroblob(100000)))');
      held.assertWhole();
    }
    writer.exec('vacuum');
    writer.pragma('wal_checkpoint(truncate)');
    held.assertWhole();
    expect(warn).not.toHaveBeenCalled();
  });

  it('opened three times → a different mark each time', () => {
    const marks = Array.from({ length: 3 }, () => {
      const { held, writer } = openAndWatch();
      const mark = writer.pragma('user_version', { simple: true });
      writer.exec('drop table word');
      writer.close();
      held[Symbol.dispose]();
      return mark;
    });
    expect(new Set(marks).size).toBe(3);
  });

  it('another program reads and writes it → still whole', () => {
    const { held } = openAndWatch();
    const other = new Sqlite(file);
    other.exec("insert into word values ('other')");
    other.pragma('wal_checkpoint(truncate)');
    expect(other.prepare('select text from word').pluck().all()).toEqual(['other']);
    other.close();
    held.assertWhole();
  });

  it('a backup is copied over it → an error says that it was overwritten', () => {
    const { held, writer } = openAndWatch();
    copyFileSync(copyOf(writer), file);
    expect(() => held.assertContent()).toThrow('the database file was overwritten');
    expect(() => held.assertWhole()).toThrow('the database file was overwritten');
    held.assertPlace();
  });

  it('cannot be marked, as on a full disk → still whole, and overwriting it is noticed', () => {
    const { held, writer } = open();
    writer.pragma('user_version = 5');
    writer.pragma('query_only = on');
    held.watch(writer);
    writer.pragma('query_only = off');
    held.assertWhole();
    writer.pragma('wal_checkpoint(truncate)');
    held.assertWhole();
    copyFileSync(copyOf(writer), file);
    expect(() => held.assertContent()).toThrow('the database file was overwritten');
  });

  it.each(['', '-wal'])('the file%s is replaced → an error, until the original is back', (suffix) => {
    const { held } = openAndWatch();
    const path = file + suffix;
    renameSync(path, `${path}.old`);
    expect(() => held.assertPlace()).toThrow(`${path} was deleted or replaced`);
    copyFileSync(`${path}.old`, path);
    expect(() => held.assertPlace()).toThrow(`${path} was deleted or replaced`);
    renameSync(`${path}.old`, path);
    held.assertPlace();
  });

  it('its lock file was deleted → locked again, and logged once', () => {
    const { held } = openAndWatch();
    rmSync(`${file}.lock`);
    held.assertWhole();
    held.assertWhole();
    expect(existsSync(`${file}.lock`)).toBe(true);
    expect(warn.mock.calls).toEqual([[`${file}.lock was deleted or replaced: it was made anew`]]);
  });

  it('its folder is moved away → an error until it is back, and no new folder', () => {
    const { held } = openAndWatch();
    const folder = join(file, '..');
    renameSync(folder, `${folder}-moved`);
    expect(() => held.assertWhole()).toThrow('was deleted or replaced');
    expect(existsSync(folder)).toBe(false);
    renameSync(`${folder}-moved`, folder);
    held.assertWhole();
  });

  it('another process has the lock → no writes until it is released', () => {
    const { held } = openAndWatch();
    rmSync(`${file}.lock`);
    const other = new Sqlite(`${file}.lock`);
    other.exec('begin exclusive');
    expect(() => held.assertWhole()).toThrow('another process of Keyward');
    expect(() => held.assertPlace()).toThrow('another process of Keyward');
    other.close();
    held.assertWhole();
    held.assertPlace();
  });
});

describe('opening a file', () => {
  const attempt = () => new HeldFile(file, warn);

  it('a file with two hard links → refused by either name', () => {
    writeFileSync(file, '');
    const other = `${file}.other`;
    linkSync(file, other);
    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow('2 names (hard links)');
    expect(() => new HeldFile(other, warn)).toThrow('2 names (hard links)');
    rmSync(other);
    stack.use(attempt());
  });

  it('a file in use, named by a symbolic link → refused', () => {
    openAndWatch();
    const link = `${file}.link`;
    symlinkSync(file, link);
    expect(() => new HeldFile(link, warn)).toThrow('another process of Keyward is using');
  });
});

it('nothing is written to a new file → neither it nor its lock is left', () => {
  new HeldFile(file, warn)[Symbol.dispose]();
  expect([file, `${file}.lock`].filter((path) => existsSync(path))).toEqual([]);
});

it('a file that another process has locked → refused, and not deleted', () => {
  const other = new Sqlite(`${file}.lock`);
  other.exec('begin exclusive');
  expect(() => new HeldFile(file, warn)).toThrow('another process of Keyward is using');
  expect([file, `${file}.lock`].map((path) => existsSync(path))).toEqual([true, true]);
  other.close();
});

it('an existing empty file → kept, with a warning', () => {
  writeFileSync(file, '');
  new HeldFile(file, warn)[Symbol.dispose]();
  expect(existsSync(file)).toBe(true);
  expect(warn.mock.calls).toEqual([[expect.stringContaining('is empty (0 bytes)')]]);
});
