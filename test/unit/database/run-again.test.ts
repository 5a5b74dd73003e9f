import { describe, expect, it, vi } from 'vitest';
import { OutcomeUnknownError } from '../../../src/database/failures.ts';
import { runAgain } from '../../../src/database/run-again.ts';

const failure = (members: object) => Object.assign(new Error('it failed'), members);

describe('what fails', () => {
  it.each([
    ['with a serialization failure', { code: '40001' }, 13],
    ['with a deadlock', { code: '40P01' }, 13],
    ['on a server that became read-only', { code: '25006' }, 2],
    ['for a plan that is older than a migration', { code: '0A000', routine: 'RevalidateCachedQuery' }, 2],
    ['for a prepared statement that a pooler lost', { code: '26000' }, 2],
    ['for a constraint', { code: '23505' }, 1],
    ['because the server ended the connection', { code: '57P01' }, 1],
    ['without a code', {}, 1],
    ['on SQLite', { code: 'SQLITE_BUSY' }, 1],
  ])('%s → runs %o %i times', async (_what, members, times) => {
    const error = failure(members);
    const attempt = vi.fn(() => Promise.reject(error));
    await expect(runAgain(attempt)).rejects.toBe(error);
    expect(attempt).toHaveBeenCalledTimes(times);
  });

  it('with an unknown outcome → runs once, whatever the cause', async () => {
    const error = new OutcomeUnknownError(failure({ code: '40001' }));
    const attempt = vi.fn(() => Promise.reject(error));
    await expect(runAgain(attempt)).rejects.toBe(error);
    expect(attempt).toHaveBeenCalledOnce();
  });

  it('at first → the result of the first success', async () => {
    const attempt = vi.fn(async () => {
      if (attempt.mock.calls.length < 4) throw failure({ code: '40001' });
      return attempt.mock.calls.length;
    });
    expect(await runAgain(attempt)).toBe(4);
  });
});
