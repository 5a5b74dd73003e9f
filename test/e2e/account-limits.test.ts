import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountAdmin } from '../../src/auth/scopes.ts';
import { createTemporaryFolder, type ServiceProcess, startProcess, unlimited } from '../support/process.ts';

const services = new AsyncDisposableStack();
afterAll(() => services.disposeAsync());

const start = async (env: Record<string, string> = {}): Promise<ServiceProcess> => {
  const folder = services.use(await createTemporaryFolder());
  return services.use(await startProcess(folder.path, { LOG_LEVEL: 'silent', ...env }));
};

/** Sends the same request so many times, 30 at once; answers how often each status came, and the last answer. */
async function sendAll({ url }: ServiceProcess, token: string, times: number, path: string, body: object) {
  const statuses: Record<number, number> = {};
  let last: Response | undefined;
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/graphql-response+json, application/json',
    'content-type': 'application/json',
  };
  const sendNext = async (turn: number): Promise<void> => {
    for (let sent = turn; sent < times; sent += 30) {
      last = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      await last.arrayBuffer();
      statuses[last.status] = (statuses[last.status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 30 }, (_, turn) => sendNext(turn)));
  return { statuses, headers: last?.headers };
}

const keys = '/api/v1/auth/keys';

const person = accountAdmin.join(' ');

describe('one person', () => {
  it('can create 600 API keys a minute by default; others are not affected', async () => {
    const service = await start();
    const carol = await service.token('carol', person);
    // Fifty documents of ten fields, each of which counts like a request: it is over long before the minute is.
    const fields = Array.from({ length: 10 }, (_, at) => `k${at}: createApiKey { key }`);
    const query = `mutation { ${fields.join(' ')} }`;
    expect((await sendAll(service, carol, 50, '/graphql', { query })).statuses).toEqual({ 200: 50 });
    const { statuses, headers } = await sendAll(service, carol, 150, keys, {});
    expect(statuses).toEqual({ 201: 100, 429: 50 });
    expect(headers?.get('ratelimit-policy')).toBe('"account";q=600;w=60');
    const token = await service.token('alice', person);
    expect((await sendAll(service, token, 5, keys, {})).statuses).toEqual({ 201: 5 });
  });

  it('can have as many active API keys as allowed, however many requests come at once', async () => {
    const service = await start({ ...unlimited, API_KEYS_PER_ACCOUNT: '20' });
    const token = await service.token('carol', person);
    expect((await sendAll(service, token, 300, keys, {})).statuses).toEqual({ 201: 20, 409: 280 });
    const headers = { authorization: `Bearer ${token}` };
    const listed = await fetch(service.url + keys, { headers });
    expect(await listed.json()).toHaveLength(20);
  });
});

describe('one person in a day', () => {
  it('can make as many changes as allowed, and can still deactivate keys', async () => {
    const service = await start({ ...unlimited, CHANGES_PER_DAY: '20' });
    const token = await service.token('carol', person);
    // The first one makes the account as well.
    const { statuses, headers } = await sendAll(service, token, 60, keys, {});
    expect(statuses).toEqual({ 201: 19, 429: 41 });
    const retryAfter = Number(headers?.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(86_400);
    const authorization = { authorization: `Bearer ${token}` };
    const listed = await fetch(service.url + keys, { headers: authorization });
    const [key] = (await listed.json()) as { id: number }[];
    const ended = await fetch(`${service.url}${keys}/${key?.id}`, {
      method: 'DELETE',
      headers: authorization,
    });
    expect(ended.status).toBe(200);
  });
});

describe('a server that verifies API keys', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await start({ RATE_LIMIT_VERIFIER: '40/60' });
  });

  it('is not limited like a person, and each key counts over GraphQL and REST together', async () => {
    const token = await service.token('backend', 'keys.verify');
    const fields = Array.from({ length: 10 }, (_, at) => `k${at}: verifyApiKey(key: "sk-none") { valid }`);
    const query = `mutation { ${fields.join(' ')} }`;
    const three = await sendAll(service, token, 3, '/graphql', { query });
    expect(three.statuses).toEqual({ 200: 3 });
    const verify = () => sendAll(service, token, 6, '/api/v1/keys/verify', { key: 'sk-none' });
    expect((await verify()).statuses).toEqual({ 200: 6 });
    expect((await sendAll(service, token, 1, '/graphql', { query })).statuses).toEqual({ 429: 1 });
    expect((await verify()).statuses).toEqual({ 429: 6 });
  });
});
