import { expect, it } from 'vitest';
import type { ApiKey } from '../../../web/console/keys/api-key.ts';
import { chooseKeys, prefixIn } from '../../../web/console/keys/choose-keys.ts';
import { english } from '../../support/languages.ts';

const keyOf = (id: number, values: Partial<ApiKey>) =>
  ({
    id,
    name: null,
    description: null,
    keyPrefix: `sk-00000${id}`,
    isActive: true,
    expiresAt: null,
    secrets: [],
    ...values,
  }) as ApiKey;

const keys = [
  keyOf(1, { name: 'Laptop' }),
  keyOf(2, { name: 'CI', description: 'Reads the drafts of the night' }),
  keyOf(3, {
    keyPrefix: 'sk-a1b2c3',
    isActive: false,
    secrets: [{ prefix: 'sk-old001', createdAt: null, lastUsedAt: null, endsAt: null }],
  }),
];

it.each([
  ['the name', 'lapTOP', [1]],
  ['the description', ' drafts ', [2]],
  ['the prefix', 'a1b2', [3]],
  ['the prefix of a previous secret', 'OLD0', [3]],
  ['the part of a secret before the dot', 'sk-a1b2c3.0123', [3]],
  ['the number', '2', [3, 2]],
  ['nothing', '', [3, 2, 1]],
  ['something else', 'desk', []],
])('a search finds keys by %s', (_what, search, found) => {
  const choice = { filter: 'all', order: 'newest', search, isPasted: false } as const;
  expect(chooseKeys(english, keys, choice, new Date()).map(({ id }) => id)).toEqual(found);
});

it('the beginning of a pasted secret is searched in all keys, whatever the filter says', () => {
  const choice = { filter: 'active', order: 'newest', search: 'sk-a1b2c3', isPasted: false } as const;
  expect(chooseKeys(english, keys, choice, new Date())).toEqual([]);
  expect(chooseKeys(english, keys, { ...choice, isPasted: true }, new Date())).toHaveLength(1);
});

it.each([
  [`sk-a1b2c3.${'0'.repeat(64)}`, 'sk-a1b2c3'],
  [' sk-a1b2c3.0 ', 'sk-a1b2c3'],
  ['s'.repeat(1000), 's'.repeat(32)],
])('of %s the page keeps %s', (text, prefix) => {
  expect(prefixIn(text)).toBe(prefix);
});
