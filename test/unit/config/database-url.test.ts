import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { databaseOf, postgresUrlFaults, toPgUrl } from '../../../src/config/values/database-url.ts';

const at = (parameters: string) => `postgres://keyward:c4n4ry@db.example.com/keyward${parameters}`;

describe('a URL of PostgreSQL', () => {
  it.each([
    '',
    '?sslmode=disable',
    '?sslmode=verify-full',
    '?sslmode=require&application_name=keys',
    `?sslmode=verify-full&sslrootcert=${import.meta.filename}`,
    '?options=-csearch_path%3Dapp',
    '?host=/var/run/postgresql',
  ])('is accepted: %s', (parameters) => {
    expect(postgresUrlFaults(at(parameters))).toEqual([]);
    expect(loadConfig({ DATABASE_URL: at(parameters) }).database.url).toBe(at(parameters));
  });

  it.each([
    ['?ssl_mode=verify-full', 'has the unknown parameter ssl_mode: did you mean sslmode?'],
    ['?SSLMODE=verify-full', 'has the unknown parameter SSLMODE: did you mean sslmode?'],
    ['?sslmode=verifyfull', /^needs sslmode to be one of disable, .*, verify-full$/],
    ['?sslmode=', /^needs sslmode to be one of/],
    ['?sslmode=disable&sslmode=verify-full', 'has the parameter sslmode more than once'],
    ['?ssl=require', 'has the parameter ssl, which has no effect: use sslmode'],
    ['?schema=app', /^has the parameter schema, which has no effect: .* search_path/],
    [
      '?connect_timeout=5',
      'has the parameter connect_timeout, which has no effect: set DATABASE_CONNECT_TIMEOUT',
    ],
    [
      '?channel_binding=require',
      'has the parameter channel_binding, which has no effect: leave it out, and use sslmode=verify-full',
    ],
    ['?gssencmode=disable', /^has the unknown parameter gssencmode: known are sslmode, /],
    [
      '?sslrootcert=/nowhere/ca.pem',
      'names the file /nowhere/ca.pem in sslrootcert, which cannot be read (ENOENT)',
    ],
    ['?host=db.example.com', 'needs host to be the folder of a socket'],
    ['#', 'has a #, which ends a URL: write it as %23 in the password'],
  ])('is refused with one message: %s', (parameters, fault) => {
    const [found, ...more] = postgresUrlFaults(at(parameters));
    expect(found).toMatch(fault);
    expect(more).toEqual([]);
    const load = () => loadConfig({ DATABASE_URL: at(parameters) });
    expect(load).toThrow(found);
    expect(load).not.toThrow('c4n4ry');
  });

  it.each([
    ['12#c4n4ry', 'write it as %23 in the password'],
    ['c4n4ry#x', 'write it as %23 in the password'],
    ['12?c4n4ry', 'write ? in the password as %3F'],
    ['12?c4n4ry&x', 'write ? in the password as %3F'],
  ])('with # or ? in its password is refused, with advice to encode it: %s', (password, fault) => {
    const url = `postgres://keyward:${password}@db.example.com/keyward`;
    expect(() => loadConfig({ DATABASE_URL: url })).toThrow(fault);
    expect(() => loadConfig({ DATABASE_URL: url })).not.toThrow('c4n4ry');
  });

  it.each(['require', 'prefer', 'verify-ca'])(
    'with sslmode=%s → passed to pg as sslmode=verify-full',
    (mode) => {
      expect(toPgUrl(at(`?application_name=a&sslmode=${mode}`))).toBe(
        at('?application_name=a&sslmode=verify-full'),
      );
      expect(toPgUrl(at('?sslmode=no-verify'))).toBe(at('?sslmode=no-verify'));
    },
  );
});

describe('a URL of PostgreSQL without a host', () => {
  const load = (url: string) => loadConfig({ DATABASE_URL: url }).database.url;

  it.each([
    ['postgres://u:p@/db?host=/cloudsql/p:r:i', 'postgres://u:p@localhost/db?host=/cloudsql/p:r:i'],
    ['postgresql://u@/db?sslmode=disable&host=/run', 'postgresql://u@localhost/db?sslmode=disable&host=/run'],
    ['postgres://u:p@:5433/db?host=/run', 'postgres://u:p@localhost:5433/db?host=/run'],
    ['postgres:///db?host=/run', 'postgres://localhost/db?host=/run'],
    ['postgres://:5433/db?host=/run', 'postgres://localhost:5433/db?host=/run'],
    ['postgres://u:p%40@/db?host=/run', 'postgres://u:p%40@localhost/db?host=/run'],
  ])('and with a socket is accepted: %s', (url, accepted) => {
    expect(load(url)).toBe(accepted);
    expect(databaseOf(accepted)).toBe('db');
  });

  it.each([
    'postgres://u:p@db.example.com/db?host=/run',
    'postgres://:p@db.example.com/db?host=/run',
    'postgres://:5433@db.example.com/db?host=/run',
    'postgres:///db',
  ])('stays as it is if it has one, or names no socket: %s', (url) => {
    expect(load(url)).toBe(url);
  });

  it('and without a socket is refused with what to add', () => {
    expect(() => load('postgres://u:c4n4ry@/db')).toThrow(
      'DATABASE_URL names no host: write one, or add ?host= with the folder of a socket',
    );
    expect(() => load('postgres://u:c4n4ry@/db')).not.toThrow('c4n4ry');
  });
});

it('the name of the database in a URL is that of the user if it is missing', () => {
  expect(databaseOf('postgres://u:p@h/my%20keys?sslmode=disable')).toBe('my keys');
  expect(databaseOf('postgres://keys%40work:p@h')).toBe('keys@work');
  expect(databaseOf('postgres://h')).toBe('postgres');
});

it('a SQLite file with parameters → refused', () => {
  expect(() => loadConfig({ DATABASE_URL: 'sqlite:data/keyward.db?mode=ro' })).toThrow(
    'DATABASE_URL has a ?: a file of SQLite takes no parameters',
  );
});
