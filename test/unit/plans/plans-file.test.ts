import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPlans } from '../../../src/plans/plans-file.ts';
import { createTemporaryFolder } from '../../support/process.ts';

/** What comes of a file with this text. */
async function read(text: string) {
  await using folder = await createTemporaryFolder();
  const path = join(folder.path, 'plans.yaml');
  await writeFile(path, text);
  try {
    return readPlans(path);
  } catch (error) {
    return (error as Error).message.replaceAll(path, 'plans.yaml');
  }
}

/** A file with one plan, whose text is given. */
const withPlan = (plan: string) => read(`default: free\nplans:\n  free: ${plan}\n`);

const yaml = `
default: free
plans:
  free:
    permissions: [documents.read]
    rate_limit: {limit: 10, window_seconds: 60}
    quota: {limit: 1000, refill: monthly}
    max_active_keys: 2
    max_key_days: 90
    metadata: {support: none, seats: [1, 2]}
  "Größe": {}
`.replace('Größe', 'Pro, yearly');

const parsed = {
  usual: 'free',
  grants: new Map([
    [
      'free',
      {
        permissions: ['documents.read'],
        rateLimit: { limit: 10, windowSeconds: 60 },
        quota: { limit: 1000, refill: 'monthly' },
        maxActiveKeys: 2,
        maxKeyDays: 90,
        metadata: { support: 'none', seats: [1, 2] },
      },
    ],
    [
      'Pro, yearly',
      {
        permissions: null,
        rateLimit: null,
        quota: null,
        maxActiveKeys: null,
        maxKeyDays: null,
        metadata: null,
      },
    ],
  ]),
};

it('reads YAML', async () => {
  expect(await read(yaml)).toEqual(parsed);
});

it('reads JSON', async () => {
  const free = {
    permissions: ['documents.read'],
    rate_limit: { limit: 10, window_seconds: 60 },
    quota: { limit: 1000, refill: 'monthly' },
    max_active_keys: 2,
    max_key_days: 90,
    metadata: { support: 'none', seats: [1, 2] },
  };
  const file = { default: 'free', plans: { free, 'Pro, yearly': {} } };
  expect(await read(JSON.stringify(file, null, '\t'))).toEqual(parsed);
});

it('without a file there are no plans', () => {
  expect(readPlans(undefined)).toBeUndefined();
});

describe('a faulty file → refused with a message that names the file and the fault', () => {
  it.each([
    ['{permissions: documents.read}', 'permissions'],
    ['{permissions: [documents.read, "a b"]}', 'permissions.1'],
    ['{permissions: null}', 'permissions'],
    ['{rate_limit: {limit: 0, window_seconds: 60}}', 'rate_limit.limit'],
    ['{rate_limit: {limit: 1}}', 'rate_limit.window_seconds'],
    ['{quota: {limit: 1, refill: weekly}}', 'quota.refill'],
    ['{quota: {limit: "1", refill: daily}}', 'quota.limit'],
    ['{max_active_keys: -1}', 'max_active_keys'],
    ['{max_key_days: 0.5}', 'max_key_days'],
    ['{metadata: [1]}', 'metadata'],
    [`{metadata: {a: ${'a'.repeat(2048)}}}`, 'metadata'],
  ])('%s', async (plan, member) => {
    expect(await withPlan(plan)).toMatch(
      new RegExp(
        `^.*\n  PLANS_FILE names plans.yaml, where plan "free", ${member}: .+\\. Example: PLANS_FILE=`,
      ),
    );
  });

  it('several faults → the message lists them all', async () => {
    expect(
      await withPlan('{max_active_keys: -1, max_key_days: 0, quotas: 1, quota: {limit: 1, refil: 2}}'),
    ).toBe(
      `Keyward cannot start with this configuration:
  PLANS_FILE names plans.yaml, where plan "free", quota.refill: Must be never, daily or monthly. Example: PLANS_FILE=/etc/keyward/plans.yaml
  PLANS_FILE names plans.yaml, where plan "free", quota: May only have the members limit, refill: refil. Example: PLANS_FILE=/etc/keyward/plans.yaml
  PLANS_FILE names plans.yaml, where plan "free", max_active_keys: Must be at least 0. Example: PLANS_FILE=/etc/keyward/plans.yaml
  PLANS_FILE names plans.yaml, where plan "free", max_key_days: Must be at least 1. Example: PLANS_FILE=/etc/keyward/plans.yaml
  PLANS_FILE names plans.yaml, where plan "free": May only have the members permissions, rate_limit, quota, max_active_keys, max_key_days, metadata: quotas. Example: PLANS_FILE=/etc/keyward/plans.yaml`,
    );
  });

  it.each([
    ['default: pro\nplans: {free: {}}', 'default: Must be the name of a plan in this file'],
    ['plans: {free: {}}', 'default: '],
    ['default: free', 'plans: '],
    ['default: free\nplans: [free]', 'plans: '],
    ['default: "größe"\nplans: {"größe": {}}', 'default: Must be 1 to 100 visible ASCII characters'],
    ['default: a\nplans: {a: {}, " b": {}}', 'plan " b": '],
    ['default: a\nplans: {a: {}}\nplan: {}', 'all of it: '],
    ['[]', 'all of it: '],
    ['', 'all of it: '],
  ])('%j', async (text, fault) => {
    expect(await read(text)).toContain(`\n  PLANS_FILE names plans.yaml, where ${fault}`);
  });

  it.each(['default: free\ndefault: pro', '{"default": "free"', 'a: b: c'])(
    'a text that is neither YAML nor JSON: %j',
    async (text) => {
      expect(await read(text)).toContain('PLANS_FILE names plans.yaml, which is neither YAML nor JSON: ');
    },
  );

  it('a file that does not exist', () => {
    expect(() => readPlans('/no/such/plans.yaml')).toThrow(
      'PLANS_FILE names /no/such/plans.yaml, which cannot be read (ENOENT)',
    );
  });
});
