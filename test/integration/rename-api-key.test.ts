import { describe, expect, it } from 'vitest';
import { describeAuthentication } from '../support/authentication-suite.ts';
import {
  createApiKeys,
  describeAudit,
  describeKeyId,
  noParts,
  partsSelection,
} from '../support/key-suite.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { type CallOperation, transportsOf } from '../support/transports.ts';

const setup = setUpGateway();

const operation = {
  field: 'renameApiKey',
  rest: ['PATCH', '/auth/keys/{key_id}'],
  query: `mutation ($keyId: Int!, $name: String) { renameApiKey(keyId: $keyId, name: $name) {
    id keyPrefix name createdAt isActive isDefault encryptedKey encryptionVersion
    expiresAt deactivatedAt previousWorksUntil lastUsedAt ${partsSelection} } }`,
  input: { name: 'Desk' },
} as const;

const transports = transportsOf(setup, operation);

describe.each(transports)('success over %s', (_transport, rename) => {
  it.each([
    ['Desk', 'Desk'],
    ['  Desk\t', 'Desk'],
    [null, null],
    ['a', 'a'],
    ['😀'.repeat(100), '😀'.repeat(100)],
    ['Laptop', 'Laptop'],
  ])('makes %j the name %j, and changes nothing else', async (name, expected) => {
    await createApiKeys(setup);
    const before = await setup.stored();
    const { status, data } = await rename({ keyId: 1, name });
    expect(status).toBe(200);
    expect(data).toEqual({
      id: 1,
      key_prefix: 'sk-a1b2c3',
      name: expected,
      created_at: '2026-01-31T12:00:00.000Z',
      is_active: true,
      is_default: true,
      encrypted_key: null,
      encryption_version: 1,
      expires_at: null,
      deactivated_at: null,
      previous_works_until: null,
      last_used_at: null,
      ...noParts,
    });
    const { api_key: keys = [], audit_event: _events, ...others } = await setup.stored();
    const { api_key: [first, ...otherKeys] = [], audit_event: _none, ...othersBefore } = before;
    expect(keys).toEqual([{ ...first, name: expected }, ...otherKeys]);
    expect(others).toEqual(othersBefore);
  });

  it('renames an inactive key too', async () => {
    await createApiKeys(setup);
    await setup.gateway.rest('DELETE', '/auth/keys/1', { token: await setup.sign() });
    expect((await rename({ keyId: 1, name: 'Old' })).data).toMatchObject({ name: 'Old', is_active: false });
  });

  it('writes who renamed what, from what to what; the log has no name', async () => {
    await createApiKeys(setup);
    await rename({ keyId: 2, name: 'canary7f3a' });
    const events = await setup.gateway.rows('audit_event');
    const details = '[{"field":"name","from":null,"to":"canary7f3a"}]';
    expect(events).toMatchObject([{ account_id: 1, action: 'api-key-renamed', target: 2, details }]);
    const logged = setup.gateway.log().filter((line) => line['event']);
    expect(logged).toMatchObject([{ event: 'api-key-renamed', accountId: 1, keyId: 2 }]);
    expect(JSON.stringify(setup.gateway.log())).not.toContain('canary7f3a');
  });
});

describe.each(transports)('BAD_USER_INPUT over %s', (transport, rename) => {
  it.each<[object, string]>([
    [{ name: '' }, 'string_too_short'],
    [{ name: ' \r\n ' }, 'string_too_short'],
    [{ name: 'a'.repeat(101) }, 'string_too_long'],
    [{ name: 'a\u0000' }, 'value_error'],
    [{ name: '\udc00' }, 'string_unicode'],
    [{ name: 7 }, 'string_type'],
    [{ name: ['Desk'] }, 'string_type'],
  ])('says what is wrong with %j: %s', async (input, type) => {
    await createApiKeys(setup);
    const before = await setup.stored();
    const outcome = await rename({ keyId: 1, ...input });
    const status = transport === 'GraphQL' && type === 'string_type' ? 400 : 422;
    expect(outcome).toEqual({ status, code: 'BAD_USER_INPUT', issues: [['name', type]] });
    expect(await setup.stored()).toEqual(before);
  });
});

describe('a name that is left out', () => {
  it('is refused over GraphQL', async () => {
    await createApiKeys(setup);
    const before = await setup.stored();
    const [, [, rename]] = transportsOf(setup, operation) as [unknown, [string, CallOperation]];
    expect(await rename({ keyId: 1 })).toEqual({
      status: 422,
      code: 'BAD_USER_INPUT',
      issues: [['name', 'missing']],
    });
    expect(await setup.stored()).toEqual(before);
  });
});

describe('the audit event', () => {
  describeAudit(setup, operation, 1);
});

describeKeyId(setup, operation);

describeAuthentication(setup, {
  rest: ['PATCH', '/auth/keys/1'],
  json: { name: 'Desk' },
  query: 'mutation { renameApiKey(keyId: 1, name: "Desk") { id } }',
  scopes: ['idp.signin.user.admin', 'openid', 'email', 'profile'],
  arrange: () => createApiKeys(setup),
});
