import { describe, expect, it } from 'vitest';
import { beforeDatabase } from './before-database.ts';
import { refuseRows } from './database.ts';
import type { Setup } from './set-up-gateway.ts';
import { type CalledOperation, type CallOperation, transportsOf } from './transports.ts';

/** An operation on one API key. */
export interface KeyOperation extends CalledOperation {
  /** What it takes beside `keyId`. */
  readonly input?: Readonly<Record<string, unknown>>;
}

/** All that GraphQL answers of what a key may do, and how much. */
export const partsSelection =
  'description permissions metadata allowedAddresses rateLimit { limit windowSeconds } quota { limit refill remaining refillsAt }';

/** The same of a key that was given none, in REST's names. */
export const noParts = {
  description: null,
  permissions: [],
  metadata: null,
  allowed_addresses: [],
  rate_limit: null,
  quota: null,
};

/** The same in GraphQL's names. */
export const noPartsInGraphQL = Object.fromEntries(
  Object.entries(noParts).map(([name, value]) => [
    name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ]),
);

/** All that a key can be given, in GraphQL's names. */
export const everything = {
  name: 'Desk',
  description: 'Reads the drafts.\nOf the team.',
  permissions: ['documents.*', 'b.read', 'a:b-c_d.*'],
  metadata: { plan_of: { theirOwn: [1, null, 'ü'] }, camelCase: true, '': '' },
  allowedAddresses: ['192.0.2.17', '10.0.0.17/8', '2001:DB8::/32', '::ffff:192.0.2.0/120'],
  rateLimit: { limit: 100, windowSeconds: 60 },
  quota: { limit: 10, refill: 'MONTHLY' },
  expiresAt: '2099-01-31T12:00:00.000Z',
};

/** The same as REST answers it. */
export const everythingTold = {
  name: 'Desk',
  description: everything.description,
  permissions: everything.permissions,
  metadata: everything.metadata,
  allowed_addresses: everything.allowedAddresses,
  rate_limit: { limit: 100, window_seconds: 60 },
  quota: {
    limit: 10,
    refill: 'monthly',
    remaining: 10,
    refills_at: expect.stringMatching(/-01T00:00:00\.000Z$/),
  },
  expires_at: everything.expiresAt,
};

/** Keys 1 (alice's default key), 2 (alice's, without a name) and 3 (bob's), all active. */
export async function createApiKeys({ gateway }: Setup): Promise<void> {
  const alice = await gateway.createAccount('alice');
  const bob = await gateway.createAccount('bob');
  await gateway.createApiKey(alice, { isDefault: true });
  await gateway.createApiKey(alice, { name: null });
  await gateway.createApiKey(bob);
}

/** Tests that an operation on a key is for its owner, and what it says of ids. */
export function describeKeyId(setup: Setup, operation: KeyOperation): void {
  const callsOf = (call: CallOperation) => (keyId: unknown, sub?: string) =>
    call({ keyId, ...operation.input }, sub === undefined ? {} : { sub });

  describe.each(transportsOf(setup, operation))('404 over %s', (_transport, call) => {
    it("is the same for another's key, a missing one and somebody who was never seen", async () => {
      await createApiKeys(setup);
      const before = await setup.stored();
      const ask = callsOf(call);
      const outcomes = [
        ...[3, 99, 0, -1, 2_147_483_647].map((id) => ask(id)),
        ask(1, 'carol'),
        ask(99, 'carol'),
        ask(1, 'bob'),
      ];
      for (const outcome of await Promise.all(outcomes)) {
        expect(outcome).toEqual({ status: 404, code: 'NOT_FOUND', message: 'API key not found' });
      }
      expect(await setup.stored()).toEqual(before);
      expect(setup.gateway.log().filter((line) => line['event'])).toEqual([]);
    });

    it('is the same for the same subject of another issuer', async () => {
      await createApiKeys(setup);
      await setup.gateway.database.em.fork().execute("update account set issuer = 'https://id.example.com'");
      const before = await setup.stored();
      expect(await callsOf(call)(1)).toMatchObject({ code: 'NOT_FOUND' });
      expect(await setup.stored()).toEqual(before);
    });
  });

  beforeDatabase(() => {
    describe('422 over REST', () => {
      it.each([
        ...['abc', '01', '1.5', '-0', '%00'].map((id) => [id, 'int_parsing'] as const),
        ['2147483648', 'int_parsing_size'] as const,
      ])('says where and what is wrong with the id %s', async (id, type) => {
        await createApiKeys(setup);
        const before = await setup.stored();
        const [method, path] = operation.rest;
        const token = await setup.sign();
        const json = method === 'PATCH' ? { name: null } : {};
        const call = method === 'GET' ? { token } : { token, json };
        const { status, body } = await setup.gateway.rest(method, path.replace('{key_id}', id), call);
        expect(status).toBe(422);
        expect(body.detail).toMatchObject([{ loc: ['path', 'key_id'], type }]);
        expect(await setup.stored()).toEqual(before);
      });
    });

    describe('BAD_USER_INPUT over GraphQL', () => {
      it.each([
        ['abc', 'int_type'],
        [undefined, 'missing'],
        [1.5, 'int_from_float'],
        [2_147_483_648, 'int_parsing_size'],
      ])('says what is wrong with the id %j', async (keyId, type) => {
        const [, [, call]] = transportsOf(setup, operation) as [unknown, [string, CallOperation]];
        const issues = [['key_id', type]];
        expect(await callsOf(call)(keyId)).toEqual({ status: 400, code: 'BAD_USER_INPUT', issues });
      });
    });
  });
}

/** Tests that a change of a key is refused where it cannot be written down who made it, and that nothing of it stays. */
export function describeAudit(setup: Setup, operation: KeyOperation, keyId: number): void {
  it.each(transportsOf(setup, operation))(
    'changes nothing over %s without its audit event',
    async (_name, call) => {
      await createApiKeys(setup);
      const before = await setup.stored();
      await using _refused = await refuseRows(setup.gateway.database, 'audit_event');
      expect((await call({ keyId, ...operation.input })).status).toBeGreaterThanOrEqual(500);
      expect(await setup.stored()).toEqual(before);
      expect(setup.gateway.log().filter((line) => line['event'])).toEqual([]);
    },
  );
}
