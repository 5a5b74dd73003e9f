import { describe, expect, it } from 'vitest';
import { describeChanges, describeLeak } from '../../../web/console/activity/change-words.ts';
import { english } from '../../support/languages.ts';

const describeChange = (field: string, from: unknown, to: unknown, action = 'api-key-updated') =>
  describeChanges(english, { action, changes: [{ field, from, to }] });

describe('describeChanges', () => {
  it.each([
    ['name', null, 'Laptop', 'Name', 'Laptop', 'none'],
    ['rate_limit', { limit: 1, window_seconds: 1 }, null, 'Rate limit', 'none', '1 request per second'],
    ['quota', null, { limit: 1e9, refill: 'monthly' }, 'Quota', '1,000,000,000 requests per month', 'none'],
    ['is_paused', false, true, 'Paused', 'yes', 'no'],
    ['is_enabled', true, false, 'Automation', 'off', 'on'],
    ['session_duration', 3_600, null, 'Session length', 'not set', '1 hour'],
    ['some_day', null, { a: 1 }, 'Some day', '{"a":1}', 'none'],
  ])('%s → its new and its old value in words', (field, from, to, label, now, was) => {
    expect(describeChange(field, from, to)).toEqual([{ label, to: now, from: was }]);
  });

  it('the expiry of a key → its date and time', () => {
    const [change] = describeChange('expires_at', null, '2027-02-20T12:00:00.000Z');
    expect(change).toEqual({ label: 'Expires', to: expect.stringMatching(/^20 Feb 2027, /), from: 'never' });
  });

  it('a list → what was added and removed', () => {
    expect(describeChange('permissions', ['a', 'b'], ['b', 'c'])).toEqual([
      { label: 'Permissions', added: ['c'], removed: ['a'], isNew: false },
    ]);
  });

  it.each([
    ['api-key-updated', 'changed, but too long to show here'],
    ['api-key-created', 'too many to show here'],
  ])('a list of which only the beginning is kept → a note in place of its items: %s', (action, to) => {
    const cut = { starts: '["documents.', bytes: 5151 };
    expect(describeChange('permissions', ['a'], cut, action)).toEqual([{ label: 'Permissions', to }]);
    expect(describeChange('permissions', cut, ['a'], action)).toEqual([{ label: 'Permissions', to }]);
  });

  it('a long text → its beginning', () => {
    expect(describeChange('description', null, { starts: '"For the \u00fc', bytes: 900 })).toEqual([
      { label: 'Description', from: 'none', to: 'For the \u00fc…' },
    ]);
  });

  it('a new key → its values, without the empty ones before', () => {
    expect(describeChange('quota', null, { limit: 5, refill: 'never' }, 'api-key-created')).toEqual([
      { label: 'Quota', to: '5 requests in total' },
    ]);
  });

  it('a new webhook endpoint → its URL and its events', () => {
    const changes = [
      { field: 'host', from: null, to: 'hooks.example.com' },
      { field: 'events', from: null, to: ['api_key.*'] },
    ];
    expect(describeChanges(english, { action: 'webhook-endpoint-created', changes })).toEqual([
      { label: 'Host', to: 'hooks.example.com' },
      { label: 'Events', added: ['api_key.*'], removed: [], isNew: true },
    ]);
  });

  it('metadata → only that it changed', () => {
    expect(describeChange('metadata', null, null)).toEqual([{ label: 'Metadata', to: 'changed' }]);
  });

  it.each([
    ['default_key_id', 'default-api-key-set'],
    ['is_active', 'api-key-deactivated'],
    ['name', 'api-key-renamed'],
    ['name', 'api-key-created'],
    ['pause_reason', 'api-key-resumed'],
    ['paused_at', 'api-key-paused'],
    ['paused_by', 'api-key-paused'],
  ])('%s of %s → nothing, because the sentence of the event says it', (field, action) => {
    expect(describeChange(field, null, 1, action)).toEqual([]);
  });
});

describe('describeLeak', () => {
  const found = { field: 'leaked_url', from: null, to: 'https://example.com/a' };
  it.each([
    [[found, { field: 'is_active', from: true, to: false }], 'was found in public and deactivated'],
    [
      [{ field: 'previous_works_until', from: '2027-02-20T12:00:00.000Z', to: '2027-02-19T12:00:00.000Z' }],
      'had a previous secret that was found in public and no longer works',
    ],
    [
      [found, { field: 'paused_by', from: 'owner', to: 'scanner' }],
      'was found in public and paused: rotate it, then resume it',
    ],
    [[found], 'was found in public: rotate it now'],
  ])('says what happened to the key: %j', (changes, words) => {
    expect(english.text(describeLeak({ changes }), { key: 'Key 5' })).toBe(`Key 5 ${words}`);
  });

  it('the URL where the key was found → a line of its own', () => {
    expect(describeChanges(english, { action: 'api-key-leaked', changes: [found] })).toEqual([
      { label: 'Found at', to: 'https://example.com/a' },
    ]);
  });
});
