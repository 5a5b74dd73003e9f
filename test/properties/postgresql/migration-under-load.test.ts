import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { createOnServer } from '../../support/database.ts';
import { createTestGateway, type TestGateway } from '../../support/gateway.ts';
import { startIssuer, type TestIssuer } from '../../support/issuer.ts';
import { queryServer } from '../../support/postgres-service.ts';

let issuer: TestIssuer;
let gateway: TestGateway;
let databaseUrl: string;
beforeAll(async () => {
  issuer = await startIssuer();
  databaseUrl = await createOnServer(inject('postgresUrl') ?? '', inject('postgresTemplate'));
  gateway = await createTestGateway(issuer, { databaseUrl });
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await issuer?.[Symbol.asyncDispose]();
});
beforeEach(() => gateway.reset());

/** Changes of what statements answer: the types of columns that reads return, and of those that writes do. */
const migrations = [
  'alter table private_key alter column created_at type timestamptz(2)',
  'alter table automation_settings alter column created_at type timestamptz(4)',
  'alter table automation_settings alter column updated_at type timestamptz(4)',
  'alter table account alter column subject type varchar(300)',
];

/** Reads and writes until it is told to stop; returns the status of each answer. */
async function work(token: string, stopping: AbortSignal): Promise<number[]> {
  const statuses: number[] = [];
  for (let turn = 0; !stopping.aborted; turn += 1) {
    const read = await gateway.rest('GET', '/auth/private-key', { token });
    const json = { session_duration: 60 + turn };
    const write = await gateway.rest('PUT', '/automation/settings', { token, json });
    if (write.status === 200) expect(write.body).toMatchObject(json);
    statuses.push(read.status, write.status);
  }
  return statuses;
}

it('answers everyone while the tables change, in transactions and outside, and records each change once', async () => {
  const stopping = new AbortController();
  const people = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const sub = `person-${index}`;
      await gateway.createPrivateKey(await gateway.createAccount(sub));
      return issuer.sign({ sub });
    }),
  );
  const working = people.map((token) => work(token, stopping.signal));
  const written = () => gateway.log().filter(({ event }) => event === 'automation-settings-updated').length;
  const query = queryServer(databaseUrl);
  for (const migration of migrations) {
    const enough = written() + 40;
    await expect.poll(written, { interval: 5, timeout: 10_000 }).toBeGreaterThan(enough);
    await query(migration);
  }
  const enough = written() + 40;
  await expect.poll(written, { interval: 5, timeout: 10_000 }).toBeGreaterThan(enough);
  stopping.abort();
  const statuses = (await Promise.all(working)).flat();
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await gateway.rows('audit_event')).toHaveLength(statuses.length / 2);
});
