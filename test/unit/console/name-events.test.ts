import { describe, expect, it } from 'vitest';
import { type AuditEvent, nameEvents } from '../../../web/console/activity/name-events.ts';

let id = 100;
const event = (action: string, targetId: number | null, changes: AuditEvent['changes'] = []): AuditEvent => {
  id -= 1;
  return {
    id,
    action,
    targetId,
    actor: 'self',
    actorId: null,
    server: null,
    reason: null,
    onUserId: null,
    changes,
    requestId: 'r',
    address: null,
    createdAt: '2026-11-22T12:00:00.000Z',
  };
};
const renamed = (targetId: number, from: string | null, to: string | null) =>
  event('api-key-renamed', targetId, [{ field: 'name', from, to }]);

describe('nameEvents', () => {
  it('an event → the name that its key had at that time', () => {
    const events = [
      event('api-key-rotated', 1),
      renamed(1, 'B', 'C'),
      event('api-key-rotated', 1),
      renamed(1, null, 'B'),
      event('api-key-rotated', 1),
      event('private-key-removed', null),
    ];
    const names = nameEvents(events, new Map([[1, 'C']])).map(({ name }) => name);
    expect(names).toEqual(['C', 'C', 'B', 'B', null, null]);
  });

  it('a new default key → also the name that the former default key had at that time', () => {
    const replaced = event('default-api-key-set', 2, [{ field: 'default_key_id', from: 1, to: 2 }]);
    const first = event('default-api-key-set', 1, [{ field: 'default_key_id', from: null, to: 1 }]);
    const names = new Map([
      [1, 'New'],
      [2, 'Other'],
    ]);
    const [, second, third] = nameEvents([renamed(1, 'Old', 'New'), replaced, first], names);
    expect(second).toMatchObject({ name: 'Other', former: { id: 1, name: 'Old' } });
    expect(third).toMatchObject({ name: 'Old', former: null });
  });

  it('a rename without its old name → earlier events have no name', () => {
    const names = nameEvents(
      [event('api-key-renamed', 1), event('api-key-created', 1)],
      new Map([[1, 'Now']]),
    ).map(({ name }) => name);
    expect(names).toEqual(['Now', null]);
  });

  it('events with the name → no list of keys is needed', () => {
    expect(nameEvents([renamed(1, 'A', 'B')], new Map())[0]?.name).toBe('B');
  });
});
