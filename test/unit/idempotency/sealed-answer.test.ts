import { describe, expect, it, vi } from 'vitest';
import type { AccountId } from '../../../src/database/tables.ts';
import { digestRequest, openAnswer, sealAnswer } from '../../../src/idempotency/sealed-answer.ts';
import { createSecrets } from '../../../src/secrets/secrets.ts';
import { secretListOf } from '../../support/secrets.ts';

const [one] = secretListOf(1);
const [two] = secretListOf(2);
const encryptionKeys = secretListOf(1);
const place = { id: 7, account: 3 as AccountId };
const answer = { request: 'r', result: { id: 1, key: 'secret', createdAt: new Date(0), name: null } };

const sealed = await sealAnswer(createSecrets({ peppers: [one], encryptionKeys }), place, 'key', answer);
const open = (peppers: Parameters<typeof createSecrets>[0]['peppers'], changed: object = {}, key = 'key') =>
  openAnswer(createSecrets({ peppers, encryptionKeys }), { ...place, ...sealed, ...changed }, key);

describe('a sealed answer', () => {
  it('opens with its key, even after a rotation of the peppers', async () => {
    expect(await open([one])).toEqual(answer);
    expect(await open([two, one])).toEqual(answer);
  });

  it('its pepper is gone → refused, not ignored', async () => {
    await expect(open([two])).rejects.toMatchObject({ status: 409, reason: 'pepper-missing' });
  });

  it.each([
    ['another key', {}, 'other'],
    ['another row', { id: 8 }, 'key'],
    ['another account', { account: 4 as AccountId }, 'key'],
  ])('does not open for %s', async (_what, changed, key) => {
    await expect(open([one], changed, key)).rejects.toMatchObject({ status: 500, reason: 'seal-broken' });
  });

  it('two accounts with the same Idempotency-Key → sealed with different keys', async () => {
    const secrets = createSecrets({ peppers: [one], encryptionKeys });
    const digest = vi.spyOn(secrets.peppers, 'digest');
    for (const account of [3, 4] as AccountId[])
      await sealAnswer(secrets, { ...place, account }, 'key', answer);
    const keys = digest.mock.results.map(({ value }) => value.digest.toString('hex'));
    expect(new Set(keys).size).toBe(2);
  });

  it('does not open with another pepper of the same version', async () => {
    const [other] = secretListOf(1);
    await expect(open([other])).rejects.toMatchObject({ reason: 'seal-broken' });
  });
});

describe('the digest of a request', () => {
  const digest = digestRequest('createApiKey', { name: 'CI', expiresAt: new Date(0) });

  it('is the same for any order of the input', () => {
    expect(digestRequest('createApiKey', { expiresAt: new Date(0), name: 'CI' })).toBe(digest);
  });

  it.each([
    ['updateApiKey', { name: 'CI', expiresAt: new Date(0) }],
    ['createApiKey', { name: 'CI', expiresAt: new Date(1) }],
    ['createApiKey', { name: 'CI', expiresAt: null }],
    ['createApiKey', { name: 'CI' }],
    ['createApiKey', {}],
  ])('differs for another operation or input: %s %j', (name, input) => {
    expect(digestRequest(name, input)).not.toBe(digest);
  });
});
