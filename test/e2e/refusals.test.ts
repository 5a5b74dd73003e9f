import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCollector } from '../support/collector.ts';
import { send } from '../support/exact-client.ts';
import { documentedNginx } from '../support/forward-auth-recipes.ts';
import { createTemporaryFolder, startProcess } from '../support/process.ts';
import { startProxiedApi } from '../support/proxied-api.ts';

type Service = Awaited<ReturnType<typeof startProcess>>;

/** Sends a request to the service as a person, with the scopes given or else all. */
async function callAs(service: Service, subject: string, method: string, path: string, scope?: string) {
  const authorization = `Bearer ${await service.token(subject, scope)}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const body = method === 'POST' ? { body: '{}' } : {};
  const response = await fetch(`${service.url}/api/v1${path}`, { method, headers, ...body });
  expect([path, response.status]).toEqual([path, expect.toBeOneOf([200, 201])]);
  return await response.json();
}

const operate = (service: Service, path: string) =>
  callAs(service, 'olivia', 'GET', `/admin${path}`, 'keyward.admin');

describe.skipIf(!documentedNginx.isRun)('two customers that nginx refuses at the same time', () => {
  const stack = new AsyncDisposableStack();
  let collector: Awaited<ReturnType<typeof startCollector>>;
  /** The service that refused them, after its end, and one that runs on the same database since. */
  let first: Service;
  let second: Service;
  /** The customers, by what is wrong with their keys. */
  const customers: Record<'alice' | 'bob', { keyId: number; requestId: string; reason: string }> = {
    alice: { keyId: 0, requestId: '', reason: '' },
    bob: { keyId: 0, requestId: '', reason: '' },
  };

  beforeAll(async () => {
    const folder = stack.use(await createTemporaryFolder());
    collector = stack.use(await startCollector());
    const env = { ADMIN: 'on', TRUST_PROXY: '127.0.0.1', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    first = stack.use(await startProcess(folder.path, env));
    const api = stack.use(await startProxiedApi());
    const nginx = stack.use(await documentedNginx.start(folder.path, { keyward: first.port, api: api.port }));
    const secrets: Record<string, string> = {};
    for (const [subject, customer] of Object.entries(customers)) {
      const { id, key } = await callAs(first, subject, 'POST', '/auth/keys');
      customer.keyId = id;
      secrets[subject] = key;
    }
    await callAs(first, 'alice', 'DELETE', `/auth/keys/${customers.alice.keyId}`);
    await Promise.all(
      Object.entries(customers).map(async ([subject, customer]) => {
        const headers = [['X-API-Key', `${secrets[subject]}`]] as const;
        const answer = await send(nginx.url, { target: '/documents/1', headers });
        customer.requestId = `${answer.headers['x-request-id']}`;
        customer.reason = JSON.parse(answer.body).reason;
      }),
    );
    expect(api.received).toEqual([]);
    first.signal('SIGTERM');
    await first.ended;
    second = stack.use(await startProcess(folder.path, env));
  }, 60_000);
  afterAll(() => stack.disposeAsync());

  const requestLine = (requestId: string) =>
    first.output.stdout
      .split('\n')
      .filter((line) => line.includes(requestId))
      .map((line) => JSON.parse(line))
      .find(({ msg }) => msg === 'request');

  it.each([
    ['alice', 'invalid_api_key', 'api-key-inactive', 'inactive'],
    ['bob', 'insufficient_permissions', 'api-key-insufficient-permissions', 'insufficient_permissions'],
  ] as const)(
    '%s: the request id leads to the key, its owner and the reason in the log, the trace and Operate',
    async (subject, told, logged, outcome) => {
      const { keyId, requestId, reason } = customers[subject];
      expect(reason).toBe(told);

      const line = requestLine(requestId);
      expect(line).toMatchObject({ keyId, reason: logged });

      const span = collector.spans.find(({ spanId }) => spanId === line.spanId);
      expect(span?.attributes).toMatchObject({
        'keyward.key_id': keyId,
        'keyward.account_id': line.accountId,
        'keyward.reason': logged,
      });

      expect(await operate(second, `/accounts/${line.accountId}`)).toMatchObject({ subject });
      const keys = await operate(second, `/accounts/${line.accountId}/keys`);
      expect(keys.map(({ id }: { id: number }) => id)).toContain(keyId);
      const { counts } = await operate(second, `/keys/${keyId}/usage`);
      expect(counts).toMatchObject([{ outcome, count: 1 }]);
    },
  );

  it('get different responses', () => {
    expect(customers.alice.requestId).not.toBe(customers.bob.requestId);
    expect(customers.alice.keyId).not.toBe(customers.bob.keyId);
  });
});
