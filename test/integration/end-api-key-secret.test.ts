import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keyPrefixOf } from '../../src/api-keys/api-key-secret.ts';
import { createRotatedKey } from '../support/key-suite.ts';
import { verify } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const now = new Date('2026-03-01T08:00:00.000Z');
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now });
});
afterEach(() => {
  vi.useRealTimers();
});

const setup = setUpGateway();

const end = (id: number, secret: string) =>
  setup.call('DELETE', `/auth/keys/${id}/secrets/${encodeURIComponent(keyPrefixOf(secret))}`);
const validOf = async (secrets: readonly string[]) =>
  Promise.all(secrets.map(async (secret) => (await verify(setup, secret)).valid));

describe('DELETE /auth/keys/{key_id}/secrets/{prefix}', () => {
  it('ends this secret at once, and no other', async () => {
    const [id, secrets] = await createRotatedKey(setup, [3600, 60]);
    const [first = '', second = ''] = secrets;
    vi.setSystemTime(now.getTime() + 5000);
    const { status, body } = await end(id, first);
    expect([status, body]).toEqual([200, expect.objectContaining({ id, previous_works_until: at(62) })]);
    expect(await validOf(secrets)).toEqual([false, true, true]);
    expect((await end(id, second)).body.previous_works_until).toBe(at(5));
    expect(await validOf(secrets)).toEqual([false, false, true]);
    expect(await verify(setup, first)).toMatchObject({ reason: 'rotated' });
  });

  it('records it once, however often it is called', async () => {
    const [id, [old = '']] = await createRotatedKey(setup, [3600]);
    const answers = [await end(id, old), await end(id, old)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1]?.body).toEqual(answers[0]?.body);
    const { body } = await setup.call('GET', '/audit-events');
    expect(body.slice(0, 2)).toMatchObject([
      {
        action: 'api-key-secret-ended',
        target_id: id,
        changes: [
          { field: 'secret_prefix', from: keyPrefixOf(old), to: null },
          { field: 'previous_works_until', from: at(3601), to: at(1) },
        ],
      },
      { action: 'api-key-rotated' },
    ]);
  });

  it.each([
    ['the current secret', 409, (secrets: readonly string[]) => secrets[1] ?? ''],
    ['an unknown secret', 404, () => 'sk-zzzzzz.'],
    ['a prefix with other characters', 404, () => "'%/ü."],
  ])('%s → %i, and all continue', async (_what, status, secretOf) => {
    const [id, secrets] = await createRotatedKey(setup, [3600]);
    expect((await end(id, secretOf(secrets))).status).toBe(status);
    expect(await validOf(secrets)).toEqual([true, true]);
  });

  it("another person's key → 404, as an unknown key", async () => {
    const [id, secrets] = await createRotatedKey(setup, [3600]);
    const path = `/auth/keys/${id}/secrets/${keyPrefixOf(secrets[0] ?? '')}`;
    const token = await setup.sign({ sub: 'bob' });
    const others = await setup.gateway.rest('DELETE', path, { token });
    const unknown = await setup.gateway.rest('DELETE', path.replace(`/${id}/`, '/99/'), { token });
    expect([others.status, others.body.detail]).toEqual([404, unknown.body.detail]);
    expect(await validOf(secrets)).toEqual([true, true]);
  });

  it('a prefix of more than 64 characters → 422', async () => {
    const [id] = await createRotatedKey(setup, []);
    expect((await end(id, `${'a'.repeat(65)}.`)).status).toBe(422);
  });
});
