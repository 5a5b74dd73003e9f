import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';

let issuer: TestIssuer;
let gateway: TestGateway;
let token: string;

beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer[Symbol.asyncDispose]());
beforeEach(async () => {
  gateway = await createTestGateway(issuer);
  token = await issuer.sign();
});
afterEach(() => gateway[Symbol.asyncDispose]());

const record = {
  id: 1,
  key_prefix: 'sk-a1b2c3',
  name: 'Laptop',
  created_at: '2026-01-31T12:00:00.000Z',
  is_active: false,
  is_default: true,
  encrypted_key: null,
  encryption_version: 1,
};

describe('200', () => {
  it('answers the record, all eight fields, now inactive', async () => {
    await gateway.createApiKey(await gateway.createAccount('alice'), { isDefault: true });
    const answer = await gateway.rest('DELETE', '/auth/keys/1', { token });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(record);
    expect(await gateway.rows('api_key')).toMatchObject([{ id: 1, is_active: 0, is_default: 1 }]);
  });
});
