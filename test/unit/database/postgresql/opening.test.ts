import { expect, it } from 'vitest';
import { readOpening } from '../../../../src/database/postgresql/opening.ts';

const row = {
  database: 'keyward',
  role: 'keyward',
  encoding: 'UTF8',
  schema: 'public',
  may_create: true,
  search_path: 'public',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  unlogged: null,
};
const at = (parameters: string) => `postgres://keyward:c4n4ry@db.example.com/keyward${parameters}`;

it.each(['', '?sslmode=verify-full', '?sslmode=require', '?sslmode=disable'])(
  'no risk: "%s"',
  (parameters) => {
    expect(readOpening([row], at(parameters)).risks).toEqual([]);
  },
);

it('sslmode=no-verify → a risk that says what it gives up', () => {
  const { risks } = readOpening([row], at('?sslmode=no-verify'));
  expect(risks).toEqual([
    expect.stringMatching(/no-verify.*encrypts.*anyone between.*can pose as the server/),
  ]);
  expect(risks.join()).not.toContain('c4n4ry');
});

it('a server that does not know a setting → no risk', () => {
  const unknown = { ...row, fsync: null, full_page_writes: null, synchronous_commit: null };
  expect(readOpening([unknown], at('')).risks).toEqual([]);
});

it('both settings of the disk are off → a risk each', () => {
  const { risks } = readOpening([{ ...row, fsync: 'off', full_page_writes: 'off' }], at(''));
  expect(risks).toEqual([
    expect.stringContaining('(fsync=off)'),
    expect.stringContaining('(full_page_writes=off)'),
  ]);
});
