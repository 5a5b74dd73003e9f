import { expect, it } from 'vitest';
import { report, rounds, send } from '../support/ledger.ts';
import { createTemporaryFolder, startProcess } from '../support/process.ts';

/** A verification of an API key: when it was begun, and what it said. */
interface Verification {
  readonly begunAt: number;
  readonly isValid: boolean;
}

/** Verifies a key without pause until it is stopped. */
function verifyOnAndOn(url: string, secret: string) {
  const verifications: Verification[] = [];
  let running = true;
  const verify = async () => {
    const begunAt = performance.now();
    const answer = await fetch(`${url}/api/v1/keys/authorize`, { headers: { 'x-api-key': secret } });
    verifications.push({ begunAt, isValid: answer.status === 200 });
    await answer.arrayBuffer();
  };
  const loops = Array.from({ length: 3 }, async () => {
    while (running) await verify();
  });
  return {
    verifications,
    /** Stops when so many more have been begun. */
    stopAfter: async (more: number): Promise<void> => {
      const enough = verifications.length + more;
      while (verifications.length < enough) await verify();
      running = false;
      await Promise.all(loops);
    },
  };
}

it('refuses an API key in each verification that starts after its deactivation was answered', async () => {
  const count = rounds(200, 20);
  await using folder = await createTemporaryFolder();
  await using service = await startProcess(folder.path, { LOG_LEVEL: 'silent' });
  const people = ['alice', 'bob', 'carol', 'dave'];
  const [alice = '', ...others] = await Promise.all(people.map((name) => service.token(name)));
  const call = async (token: string, method: string, path: string, json?: object) => {
    const answer = await send(service.url, { token }, method, path, json);
    expect(answer?.status).toBeOneOf([200, 201]);
    return (await answer?.json()) as { id: number; key: string };
  };

  let running = true;
  // Others write as well: a deactivation shares its commit.
  const load = others.map(async (token) => {
    for (let duration = 60; running; duration = 60 + (duration % 1000))
      await call(token, 'PUT', '/automation/settings', { session_duration: duration });
  });
  const sum = { before: 0, after: 0 };
  for (let round = 0; round < count; round += 1) {
    const { id, key } = await call(alice, 'POST', '/auth/keys', {});
    const { verifications, stopAfter } = verifyOnAndOn(service.url, key);
    await expect.poll(() => verifications.length, { interval: 1, timeout: 20_000 }).toBeGreaterThan(2);
    await call(alice, 'DELETE', `/auth/keys/${id}`);
    const answeredAt = performance.now();
    await stopAfter(5);
    const after = verifications.filter(({ begunAt }) => begunAt >= answeredAt);
    expect(after.filter(({ isValid }) => isValid)).toEqual([]);
    expect(verifications[0]?.isValid).toBe(true);
    sum.before += verifications.length - after.length;
    sum.after += after.length;
  }
  running = false;
  await Promise.all(load);
  report('deactivations raced by verifications', { rounds: count, ...sum, 'valid after': 0 });
});
