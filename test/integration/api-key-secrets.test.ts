import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keyPrefixOf } from '../../src/api-keys/api-key-secret.ts';
import { Db } from '../../src/database/db.ts';
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

const read = (id: number) => setup.call('GET', `/auth/keys/${id}/secrets`);

describe('GET /auth/keys/{key_id}/secrets', () => {
  it('lists the secrets that work, the current one first', async () => {
    const [id, secrets] = await createRotatedKey(setup, [3600, 60]);
    const [first = '', second = '', third = ''] = secrets.map(keyPrefixOf);
    expect(await read(id)).toMatchObject({ status: 200 });
    expect((await read(id)).body).toEqual([
      { prefix: third, created_at: at(2), last_used_at: null, ends_at: null },
      { prefix: second, created_at: at(1), last_used_at: null, ends_at: at(62) },
      { prefix: first, created_at: at(0), last_used_at: null, ends_at: at(3601) },
    ]);
  });

  it('shows which of them is still in use', async () => {
    const [id, [old = '', current = '']] = await createRotatedKey(setup, [3600]);
    vi.setSystemTime(now.getTime() + 5000);
    await verify(setup, old);
    vi.setSystemTime(now.getTime() + 4000);
    await verify(setup, old);
    await setup.gateway.keyUsage.write();
    expect((await read(id)).body).toMatchObject([{ last_used_at: null }, { last_used_at: at(5) }]);
    vi.setSystemTime(now.getTime() + 6000);
    await verify(setup, current);
    await setup.gateway.keyUsage.write();
    expect((await read(id)).body).toMatchObject([{ last_used_at: at(6) }, { last_used_at: at(5) }]);
    expect((await setup.call('GET', `/auth/keys/${id}`)).body.last_used_at).toBe(at(6));
  });

  it('a refused verification is no use', async () => {
    const [id, [secret = '']] = await createRotatedKey(setup, [], { allowed_addresses: ['192.0.2.1'] });
    expect(await verify(setup, secret)).toMatchObject({ reason: 'address_not_allowed' });
    await setup.gateway.keyUsage.write();
    expect((await read(id)).body).toMatchObject([{ last_used_at: null }]);
  });

  it('a key that expires before the grace is over → the secret ends with the key', async () => {
    const [id] = await createRotatedKey(setup, [3600]);
    await setup.call('PATCH', `/auth/keys/${id}`, { expires_at: at(100) });
    expect((await read(id)).body).toMatchObject([{ ends_at: null }, { ends_at: at(100) }]);
    vi.setSystemTime(now.getTime() + 100_000);
    expect((await read(id)).body).toEqual([]);
  });

  it('an inactive key → none', async () => {
    const [id] = await createRotatedKey(setup, [3600]);
    await setup.call('DELETE', `/auth/keys/${id}`);
    expect((await read(id)).body).toEqual([]);
  });

  it('secrets from before they had a prefix of their own → the current one has that of its key', async () => {
    const [id, secrets] = await createRotatedKey(setup, [3600]);
    await new Db(setup.gateway.database.em).kysely
      .updateTable('api_key_secret')
      .set({ key_prefix: null })
      .execute();
    const prefix = keyPrefixOf(secrets[1] ?? '');
    expect((await read(id)).body).toMatchObject([{ prefix }, { prefix: null }]);
    const { body } = await setup.call('POST', `/auth/keys/${id}/rotate`, { grace_seconds: 60 });
    expect((await read(id)).body).toMatchObject([{ prefix: body.key_prefix }, { prefix }, { prefix: null }]);
  });
});

describe('ApiKey.secrets', () => {
  it('the same of many keys at once, and REST leaves them out of the records', async () => {
    const [one] = await createRotatedKey(setup, [3600]);
    const [two] = await createRotatedKey(setup, []);
    const [three] = await createRotatedKey(setup, [60, 60]);
    const query = '{ apiKeys { edges { node { id secrets { prefix createdAt lastUsedAt endsAt } } } } }';
    const { body } = await setup.gateway.graphql(query, { token: await setup.sign() });
    const found = body.data.apiKeys.edges.map(
      ({ node }: { node: { id: number; secrets: object[] } }) => node,
    );
    for (const { id, secrets } of found) {
      const inRest = (await read(id)).body.map(({ ends_at: endsAt, ...rest }: Record<string, unknown>) => ({
        prefix: rest['prefix'],
        createdAt: rest['created_at'],
        lastUsedAt: rest['last_used_at'],
        endsAt,
      }));
      expect(secrets).toEqual(inRest);
    }
    expect(found.map(({ id, secrets }: { id: number; secrets: object[] }) => [id, secrets.length])).toEqual([
      [three, 3],
      [two, 1],
      [one, 2],
    ]);
    expect((await setup.call('GET', `/auth/keys/${one}`)).body).not.toHaveProperty('secrets');
  });
});
