import type { EntityManager } from '@mikro-orm/sql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { Account } from '../../../src/database/tables.ts';
import { describeError } from '../../../src/observability/log.ts';
import { openTestDatabase } from '../../support/database.ts';

const stackOf = (error: Error) => (describeError(error)?.['stack'] ?? []) as string[];

describe('an error', () => {
  it('keeps its type, code, message and stack', () => {
    const error = Object.assign(new TypeError('not a function'), { code: 'ERR_X' });
    const description = describeError(error);
    expect(description).toMatchObject({ type: 'TypeError', code: 'ERR_X', message: 'not a function' });
    expect(stackOf(error)[0]).toMatch(/^at .*describe-error\.test\.ts/);
  });

  it('keeps its causes', () => {
    const cause = new Error('socket', { cause: new RangeError('port') });
    expect(describeError(new Error('fetch failed', { cause }))).toMatchObject({
      cause: { message: 'socket', cause: { type: 'RangeError', message: 'port', cause: undefined } },
    });
  });

  it('whose clean-up failed too is described itself', () => {
    const both = new SuppressedError(new Error('later'), new Error('first'));
    expect(describeError(both)).toMatchObject({ type: 'Error', message: 'first' });
  });

  it('keeps 12 frames of the stack, and no line of the message among them', () => {
    const dive = (depth: number): Error => (depth === 0 ? new Error('one\ntwo\nthree') : dive(depth - 1));
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 50;
    const stack = stackOf(dive(15));
    Error.stackTraceLimit = limit;
    expect(stack).toHaveLength(12);
    expect(stack.every((frame) => frame.startsWith('at '))).toBe(true);
  });
});

describe("a database's error", () => {
  let database: Database;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it.each<[string, (em: EntityManager) => Promise<unknown>]>([
    ['a query that it refuses', (em) => em.execute('select c4n4ry from account')],
    ['a row that is not there', (em) => em.findOneOrFail(Account, { issuer: 'i', subject: 'c4n4ry' })],
  ])('hides the values of %s', async (_what, run) => {
    const error = await run(database.em.fork()).catch((reason: unknown) => reason);
    expect(String(error)).toContain('c4n4ry');
    const description = describeError(error);
    expect(description).toMatchObject({ type: (error as Error).name, message: undefined });
    expect(JSON.stringify(description)).not.toContain('c4n4ry');
  });
});

describe('a thrown value that is no error → its type only', () => {
  it.each([
    ['c4n4ry', { type: 'string' }],
    [{ message: 'c4n4ry' }, { type: 'object' }],
    [null, { type: 'object' }],
    [undefined, undefined],
  ])('%o', (thrown, description) => {
    expect(describeError(thrown)).toEqual(description);
  });
});
