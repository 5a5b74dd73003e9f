import { mkdtempSync, readFileSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DriverException } from '@mikro-orm/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CommandError } from '../../../src/commands/command-error.ts';
import { reportFault } from '../../../src/commands/report-fault.ts';
import { ConfigError, NotThereError } from '../../../src/config/config-error.ts';
import { OutcomeUnknownError } from '../../../src/database/failures.ts';

const fail = (message: string, more: object = {}) => Object.assign(new Error(message), more);

let written: string;
const before = process.exitCode;
beforeEach(() => {
  written = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written += text;
    return true;
  });
});
afterEach(() => {
  process.exitCode = before;
});

/** What an error makes a command print, and its exit code. */
function report(error: unknown) {
  written = '';
  reportFault(error);
  const { exitCode } = process;
  process.exitCode = before;
  return [exitCode, written];
}

describe('the error that ended a command', () => {
  it.each<[string, unknown, number, string]>([
    ['a configuration', new ConfigError(['PORT is missing']), 1, 'PORT is missing'],
    ['PostgreSQL that is down at the start', new NotThereError('It is down.'), 75, 'It is down.'],
    [
      'a task that cannot be done',
      new CommandError('The file exists already.'),
      1,
      'The file exists already.',
    ],
    [
      'a lost answer to COMMIT',
      new OutcomeUnknownError(fail('x', { code: '57P01' })),
      75,
      'It is unknown whether',
    ],
    [
      'a missing right',
      fail('permission denied for table account', { code: '42501' }),
      1,
      '(42501: permission denied',
    ],
    [
      'a full disk of PostgreSQL',
      fail('could not extend file', { code: '53100' }),
      75,
      "PostgreSQL's disk is full",
    ],
    [
      'a stopped PostgreSQL',
      fail('terminating connection', { code: '57P01' }),
      75,
      'The connection to PostgreSQL failed',
    ],
    [
      'a connection that ended',
      fail('Connection terminated unexpectedly'),
      75,
      'The connection to PostgreSQL failed',
    ],
    [
      'a refused connection',
      fail('connect', { code: 'ECONNREFUSED', syscall: 'connect' }),
      75,
      '(ECONNREFUSED)',
    ],
    [
      'a reset connection',
      new DriverException(fail('write', { code: 'EPIPE', syscall: 'write' })),
      75,
      'PostgreSQL',
    ],
    ['an unknown state', fail('c4n4ry', { code: 'ZZ999' }), 1, 'PostgreSQL refuses a statement (ZZ999)'],
    [
      'a full disk of SQLite',
      fail('full', { code: 'SQLITE_FULL' }),
      1,
      'no room left on its disk (SQLITE_FULL)',
    ],
    ['a missing table of SQLite', fail('no such table: x', { code: 'SQLITE_ERROR' }), 1, 'no such table: x'],
    [
      'an output that nobody reads',
      fail('write', { code: 'EPIPE', syscall: 'write' }),
      1,
      'The output is no longer read',
    ],
    [
      'an unusual system error',
      fail('EXDEV: cross-device', { code: 'EXDEV', syscall: 'rename' }),
      1,
      'EXDEV: cross-device.',
    ],
  ])('%s → one line', (_what, error, exitCode, words) => {
    expect(report(error)).toEqual([exitCode, expect.stringContaining(words)]);
    expect(written).toMatch(/^(Keyward cannot start with this configuration:\n {2})?[^\n]+\n$/);
    expect(written).not.toContain('c4n4ry');
  });

  it('a value in the message of PostgreSQL is not shown', () => {
    const error = fail('duplicate key value\n - detail: Key (digest)=(c4n4ry) exists', { code: '23505' });
    expect(report(error)[1]).toBe(
      'A constraint or a trigger in the database refuses a change (23505): see the log of PostgreSQL.\n',
    );
  });

  it('the system names the file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'keyward-'));
    const missing = join(folder, 'keys');
    const read = (path: string) => {
      try {
        return readFileSync(path);
      } catch (error) {
        return error;
      }
    };
    expect(report(read(missing))).toEqual([1, `${missing} does not exist (ENOENT).\n`]);
    expect(report(read(folder))).toEqual([1, 'The input is a folder, not a file (EISDIR).\n']);
    rmdirSync(folder);
  });

  it('a bug → thrown with its stack', () => {
    const bug = new TypeError('x is not a function');
    expect(() => reportFault(bug)).toThrow(bug);
    expect(() => reportFault('text')).toThrow('text');
    expect([process.exitCode, written]).toEqual([before, '']);
  });
});

describe('an error whose clean-up failed too', () => {
  const later = new Error('the pool has ended already');

  it('the first error is reported, however deep it is', () => {
    const first = fail('x', { code: '3D000' });
    const both = new SuppressedError(later, new SuppressedError(later, first));
    expect(report(both)).toEqual([1, expect.stringContaining('that does not exist (3D000)')]);
  });

  it('the first error is a bug → it is thrown, and not what came later', () => {
    const bug = new TypeError('x is not a function');
    expect(() => reportFault(new SuppressedError(new ConfigError(['later']), bug))).toThrow(bug);
  });
});
