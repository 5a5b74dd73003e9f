import { expect, vi } from 'vitest';
import type { Setup } from './set-up-gateway.ts';

/** What a key may do and how much, for a key that was given no limits. */
export const noParts = {
  description: null,
  permissions: [],
  metadata: null,
  allowed_addresses: [],
  rate_limit: null,
  quota: null,
};

/** All that a key can be given. */
export const everything = {
  name: 'Desk',
  description: 'Reads the drafts.\nOf the team.',
  permissions: ['documents.*', 'b.read', 'a:b-c_d.*'],
  metadata: { plan_of: { theirOwn: [1, null, 'ü'] }, camelCase: true, '': '' },
  allowed_addresses: ['192.0.2.17', '10.0.0.17/8', '2001:DB8::/32', '::ffff:192.0.2.0/120'],
  rate_limit: { limit: 100, window_seconds: 60 },
  quota: { limit: 10, refill: 'monthly' },
  expires_at: '2099-01-31T12:00:00.000Z',
};

/** The record of a key that was given everything. */
export const everythingTold = {
  ...everything,
  quota: {
    ...everything.quota,
    remaining: 10,
    refills_at: expect.stringMatching(/-01T00:00:00\.000Z$/),
  },
};

/** Keys 1 (alice's default key), 2 (alice's, without a name) and 3 (bob's), all active. */
export async function createApiKeys({ gateway }: Setup): Promise<void> {
  const alice = await gateway.createAccount('alice');
  const bob = await gateway.createAccount('bob');
  await gateway.createApiKey(alice, { isDefault: true });
  await gateway.createApiKey(alice, { name: null });
  await gateway.createApiKey(bob);
}

/**
 * Creates a key as alice and rotates it, each time a second later.
 * @param graces of each rotation, in seconds
 * @param members of the key
 * @returns the id, and all its secrets in order
 */
export async function createRotatedKey(
  { call }: Setup,
  graces: readonly number[],
  members: object = {},
): Promise<[id: number, secrets: string[]]> {
  const { body } = await call('POST', '/auth/keys', members);
  const secrets: string[] = [body.key];
  for (const seconds of graces) {
    vi.setSystemTime(Date.now() + 1000);
    const rotated = await call('POST', `/auth/keys/${body.id}/rotate`, { grace_seconds: seconds });
    secrets.push(rotated.body.key);
  }
  return [body.id, secrets];
}
