import { expect, it } from 'vitest';
import type { ApiKey } from '../../../web/console/keys/api-key.ts';
import { chooseKeys } from '../../../web/console/keys/choose-keys.ts';

const keyOf = (id: number, values: Partial<ApiKey>) =>
  ({ id, name: null, description: null, keyPrefix: `sk-00000${id}`, isActive: true, ...values }) as ApiKey;

const keys = [
  keyOf(1, { name: 'Laptop' }),
  keyOf(2, { name: 'CI', description: 'Reads the drafts of the night' }),
  keyOf(3, { keyPrefix: 'sk-a1b2c3' }),
];

it.each([
  ['the name', 'lapTOP', [1]],
  ['the description', ' drafts ', [2]],
  ['the prefix', 'a1b2', [3]],
  ['the number', '2', [3, 2]],
  ['nothing', '', [3, 2, 1]],
  ['something else', 'desk', []],
])('a search finds keys by %s', (_what, search, found) => {
  const choice = { filter: 'all', order: 'newest', search } as const;
  expect(chooseKeys(keys, choice, new Date()).map(({ id }) => id)).toEqual(found);
});
