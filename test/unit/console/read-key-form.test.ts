import { describe, expect, it } from 'vitest';
import { toProblem } from '../../../web/console/api/problem.ts';
import { type KeyParts, readKeyForm } from '../../../web/console/keys/read-key-form.ts';
import { english } from '../../support/languages.ts';

const now = new Date('2026-11-22T12:00:00.000Z');

const typed = (fields: Record<string, string> = {}) => {
  const form = new FormData();
  const untouched = {
    name: '',
    description: '',
    expiry: 'never',
    may: 'nothing',
    permissions: '',
    'allowed-addresses': '',
    'rate-limit': '',
    'rate-window': '60',
    quota: '',
    'quota-refill': 'MONTHLY',
  };
  for (const [name, value] of Object.entries({ ...untouched, ...fields })) form.set(name, value);
  return form;
};

const before: KeyParts = {
  name: 'Laptop',
  description: 'Mine,\r\nnobody else’s',
  expiresAt: '2027-01-01T00:00:00.000Z',
  permissions: ['a', 'b'],
  allowedAddresses: ['192.0.2.1'],
  rateLimit: { limit: 5, windowSeconds: 90 },
  quota: { limit: 10, refill: 'DAILY', remaining: 3, refillsAt: '2026-11-23T00:00:00.000Z' },
};
const same = {
  name: 'Laptop',
  description: 'Mine,\nnobody else’s\n',
  expiry: 'stays',
  may: 'these',
  permissions: 'a\r\nb',
  'allowed-addresses': '192.0.2.1',
  'rate-limit': '5',
  'rate-window': '90',
  quota: '10',
  'quota-refill': 'DAILY',
};

describe('readKeyForm', () => {
  it('an empty form of a new key → no members', () => {
    expect(readKeyForm(english, typed(), now)).toEqual({});
  });

  it('ticked and typed names → one list; the same names in another order → no change', () => {
    const form = typed({ ...same, permissions: 'b' });
    form.append('permissions', 'a');
    expect(readKeyForm(english, form, now, before)).toEqual({});
    const ticked = typed({ ...same, permissions: 'c' });
    for (const name of ['b', 'a']) ticked.append('permissions', name);
    expect(readKeyForm(english, ticked, now, before)).toEqual({ permissions: ['a', 'b', 'c'] });
  });

  it.each([
    ['names in lines', { may: 'these', permissions: ' b\r\na \n\n' }, { permissions: ['b', 'a'] }],
    [
      'names with commas, one of them twice',
      { may: 'these', permissions: 'a, b,a' },
      { permissions: ['a', 'b'] },
    ],
    ['a number', { 'rate-limit': ' 100 ' }, { rateLimit: { limit: 100, windowSeconds: 60 } }],
    ['marks between thousands', { quota: '1,000 000' }, { quota: { limit: 1e6, refill: 'MONTHLY' } }],
    ['a quota of 0', { quota: '0' }, { quota: { limit: 0, refill: 'MONTHLY' } }],
    ['days', { expiry: '7' }, { expiresAt: '2026-11-29T12:00:00.000Z' }],
  ])('reads %s', (_what, fields, parts) => {
    expect(readKeyForm(english, typed(fields), now)).toEqual(parts);
  });

  it.each([
    ['nothing', {}, {}],
    ['the name', { name: '' }, { name: null }],
    ['the description', { description: ' Of the team\r\n' }, { description: 'Of the team' }],
    ['the end', { expiry: 'never' }, { expiresAt: null }],
    ['permissions, to none', { may: 'nothing' }, { permissions: [] }],
    ['permissions, to all', { may: 'everything' }, { permissions: ['*'] }],
    ['a list, to none', { 'allowed-addresses': ' ' }, { allowedAddresses: [] }],
    ['a window', { 'rate-window': '60' }, { rateLimit: { limit: 5, windowSeconds: 60 } }],
    ['a limit, to none', { 'rate-limit': '' }, { rateLimit: null }],
    ['a period', { 'quota-refill': 'NEVER' }, { quota: { limit: 10, refill: 'NEVER' } }],
  ])('sends only what was changed: %s', (_what, fields, parts) => {
    expect(readKeyForm(english, typed({ ...same, ...fields }), now, before)).toEqual(parts);
  });

  it('everything stays as it was, whatever else the key has', () => {
    const permissions = ['a', '*'];
    const form = typed({ ...same, may: 'everything', permissions: 'a' });
    expect(readKeyForm(english, form, now, { ...before, permissions })).toEqual({});
  });

  it('some permissions, but none chosen → asks for one', () => {
    expect(() => readKeyForm(english, typed({ may: 'these', permissions: ' ' }), now)).toThrow(
      expect.objectContaining({
        issues: [{ path: ['permissions'], message: expect.stringMatching(/^Choose/) }],
      }),
    );
  });

  it.each([
    ['1.5', /whole number/],
    ['-1', /whole number/],
    ['1,5', /whole number/],
    ['1e3', /whole number/],
    ['2147483648', /too large/],
  ])('refuses %s as a number, and names the field', (text, words) => {
    const read = (field: string) => {
      try {
        return readKeyForm(english, typed({ [field]: text }), now);
      } catch (error) {
        return toProblem(english, error);
      }
    };
    expect(read('quota')).toMatchObject({
      issues: [{ path: ['quota'], message: expect.stringMatching(words) }],
    });
    expect(read('rate-limit')).toMatchObject({ issues: [{ path: ['rateLimit'] }] });
  });
});
