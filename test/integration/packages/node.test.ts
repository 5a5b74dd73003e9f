import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeyward, type Outcome } from '../../../packages/node/src/index.ts';
import { createApiKeySecret } from '../../../src/api-keys/api-key-secret.ts';
import type { AccountId } from '../../../src/database/tables.ts';
import { setUpGateway } from '../../support/set-up-gateway.ts';

const setup = setUpGateway();

let server: Server;
beforeEach(async () => {
  server = createServer(async (request, response) => {
    const headers = new Headers(request.headers as Record<string, string>);
    const init = { method: 'POST', headers, body: await text(request) };
    const answer = await setup.gateway.gateway.fetch(new Request(`http://keyward.test${request.url}`, init));
    const fields = Object.fromEntries([...answer.headers].filter(([name]) => name !== 'content-length'));
    response.writeHead(answer.status, fields).end(await answer.bytes());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => void server.close());

const connect = () =>
  createKeyward({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credential: () => setup.sign({ sub: 'backend', client_id: 'backend', scope: 'keys.verify' }),
  });

const past = new Date('2026-01-01T00:00:00.000Z');

/** What the forward auth of Keyward answers, and what the package does. */
async function both(headers: Record<string, string>, permissions: string[] = [], address = '192.0.2.7') {
  const required = permissions.length > 0 ? { 'x-keyward-require': permissions.join(' ') } : {};
  const itself = await setup.gateway.rest('GET', '/keys/authorize', {
    headers: { ...headers, ...required },
    address,
  });
  const outcome: Outcome = await connect().check({ permissions })({ headers: new Headers(headers) }, address);
  return { itself, outcome };
}

describe('answers as the forward auth of Keyward', () => {
  it.each<[string, (secret: string) => Record<string, string>, object, string[]?]>([
    ['no key', () => ({}), {}],
    ['another scheme', () => ({ authorization: 'Basic eDp5' }), {}],
    ['an unknown key', () => ({ 'x-api-key': createApiKeySecret() }), {}],
    ['a word', () => ({ 'x-api-key': 'x' }), {}],
    ['an empty key', () => ({ 'x-api-key': '' }), {}],
    ['letters that no key has', () => ({ 'x-api-key': 'sch\xfcssel' }), {}],
    ['more than a key', (secret) => ({ authorization: `Bearer ${secret} x` }), {}],
    ['two keys', (secret) => ({ authorization: `Bearer ${secret}`, 'x-api-key': 'x' }), {}],
    ['an inactive key', (secret) => ({ 'x-api-key': secret }), { isActive: false }],
    ['an expired key', (secret) => ({ 'x-api-key': secret }), { expiresAt: past }],
    [
      'a key of other addresses',
      (secret) => ({ 'x-api-key': secret }),
      { allowedAddresses: '["198.51.100.1"]' },
    ],
    [
      'a key without the permission',
      (secret) => ({ 'x-api-key': secret }),
      { permissions: '["a.*"]' },
      ['a.b', 'c'],
    ],
  ])('%s', async (_what, headers, values, permissions) => {
    const alice = await setup.gateway.createAccount('alice');
    const { secret } = await setup.gateway.createVerifiableKey(alice, values);
    const { itself, outcome } = await both(headers(secret), permissions);
    if (!('refusal' in outcome)) throw new Error('It is accepted');
    const { status, headers: fields, body } = outcome.refusal;
    expect({ status, body }).toEqual({ status: itself.status, body: itself.text });
    for (const name of ['content-type', 'www-authenticate', 'cache-control', 'retry-after'])
      expect(fields[name] ?? null, name).toBe(itself.headers.get(name));
  });

  it('a blocked account, and a quota that is used up for ever', async () => {
    const blocked = await setup.gateway.createAccount('blocked', { blockedAt: past } as never);
    const alice: AccountId = await setup.gateway.createAccount('alice');
    const spent = await setup.gateway.createVerifiableKey(alice);
    await setup.gateway.createQuota(spent.id, { units: 0 });
    for (const { secret } of [await setup.gateway.createVerifiableKey(blocked), spent]) {
      const { itself, outcome } = await both({ 'x-api-key': secret });
      expect(outcome).toMatchObject({ refusal: { status: itself.status, body: itself.text } });
    }
  });

  it('a valid key → whose it is, and what it may do', async () => {
    const alice = await setup.gateway.createAccount('alice');
    const { id, secret } = await setup.gateway.createVerifiableKey(alice, { permissions: '["a.*"]' });
    const { itself, outcome } = await both({ 'x-api-key': secret }, ['a.b']);
    expect(itself.status).toBe(200);
    expect(outcome).toMatchObject({
      caller: { valid: true, key_id: id, user_id: alice, owner_kind: 'person', permissions: ['a.*'] },
    });
  });
});
