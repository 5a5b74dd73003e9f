import { expect, it } from 'vitest';
import type { ApiKey } from '../../../web/console/keys/api-key.ts';
import { findSecret } from '../../../web/console/keys/find-secret.ts';

const now = new Date('2026-11-22T12:00:00.000Z');
const secret = (prefix: string, endsAt: string | null) => ({
  prefix,
  endsAt,
  createdAt: null,
  lastUsedAt: null,
});
const keyOf = (id: number, keyPrefix: string, values: Partial<ApiKey> = {}) =>
  ({
    id,
    keyPrefix,
    isActive: true,
    expiresAt: null,
    secrets: [secret(keyPrefix, null)],
    ...values,
  }) as ApiKey;

const soon = '2026-11-22T13:00:00.000Z';
const past = '2026-11-22T11:00:00.000Z';
const keys = [
  keyOf(1, 'sk-aaaaaa', {
    secrets: [secret('sk-aaaaaa', null), secret('sk-bbbbbb', soon), secret('sk-cccccc', past)],
  }),
  keyOf(2, 'sk-dddddd', { isActive: false, secrets: [] }),
  keyOf(3, 'sk-eeeeee', { expiresAt: past }),
  keyOf(4, 'live'),
  keyOf(5, 'live'),
];

it.each([
  ['the current secret of a key', 'SK-aaaaaa', { kind: 'current', apiKey: keys[0] }],
  ['a previous secret', 'sk-bbbbbb', { kind: 'previous', apiKey: keys[0], endsAt: soon }],
  ['a previous secret that has ended meanwhile', 'sk-cccccc', { kind: 'over', apiKey: keys[0] }],
  ['a secret of an inactive key', 'sk-dddddd', { kind: 'over', apiKey: keys[1] }],
  ['a secret of an expired key', 'sk-eeeeee', { kind: 'over', apiKey: keys[2] }],
  ['the prefix of several keys', 'live', { kind: 'several' }],
  ['a part of a prefix', 'sk-aaaaa', { kind: 'none' }],
  ['no secret', 'sk-zzzzzz', { kind: 'none' }],
])('%s', (_what, prefix, finding) => {
  expect(findSecret(keys, prefix, now)).toEqual(finding);
});
