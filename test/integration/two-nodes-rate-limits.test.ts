import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';

let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer?.[Symbol.asyncDispose]());

const send = (gateway: TestGateway, call: { token?: string; address?: string }) =>
  gateway.rest('GET', '/auth/private-key', call);

describe('nodes that share a database', () => {
  const rates = { address: { requests: 4, seconds: 60 }, account: { requests: 50, seconds: 60 } };

  it('count together, exactly, and keep no name', async () => {
    await using first = await createTestGateway(issuer, { rates });
    const [{ url }] = (await first.database.em
      .getConnection()
      .execute('select current_database() as url')) as [{ url: string }];
    const databaseUrl = Object.assign(new URL(inject('postgresUrl') ?? ''), { pathname: `/${url}` }).href;
    await using second = await createTestGateway(issuer, { rates, databaseUrl });
    const token = await issuer.sign();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        send(index % 2 === 0 ? first : second, { address: '203.0.113.9', token }),
      ),
    );
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array(4).fill(200), ...Array(8).fill(429)]);
    const rows = await first.database.em.getConnection().execute('select key from rate_limit order by key');
    expect(rows).toEqual([
      { key: expect.stringMatching(/^account:[\w-]{43}$/) },
      { key: 'address:203.0.113.9' },
    ]);
  });

  it('count each for itself while the database is away', async () => {
    await using gateway = await createTestGateway(issuer, { rates });
    await gateway.database.em.getConnection().execute('drop table rate_limit');
    const statuses: number[] = [];
    for (let sent = 0; sent < 6; sent += 1)
      statuses.push((await send(gateway, { address: '203.0.113.9' })).status);
    expect(statuses).toEqual([401, 401, 401, 401, 429, 429]);
  });
});
