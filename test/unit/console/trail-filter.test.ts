import { describe, expect, it } from 'vitest';
import {
  readFilter,
  toArguments,
  toField,
  toQuery,
  trailLink,
} from '../../../web/console/operate/trail/trail-filter.ts';

const read = (query: string) => readFilter(new URLSearchParams(query));

const all =
  'action=api-key-created,api-key-leaked&user=7&actor=operator&key=12&from=2026-11-29T07:00:00.000Z&to=2026-11-29T08:30:59.999Z';

describe('the filter of the trail', () => {
  it('an address → the filter, and the same address again', () => {
    const { filter, wrong } = read(all);
    expect(wrong).toEqual([]);
    expect(filter).toEqual({
      action: ['api-key-created', 'api-key-leaked'],
      user: 7,
      actor: 'operator',
      key: 12,
      from: '2026-11-29T07:00:00.000Z',
      to: '2026-11-29T08:30:59.999Z',
    });
    expect(trailLink(filter)).toBe(`#operate/trail?${all}`);
  });

  it('an address without a filter → all events', () => {
    const { filter, wrong } = read('action=&user=&from=&range=7d');
    expect(wrong).toEqual([]);
    expect(trailLink(filter)).toBe('#operate/trail');
    expect(toQuery(filter)).toBe('');
    expect(Object.values(toArguments(filter)).filter((value) => value !== null)).toEqual([]);
  });

  it.each([
    ['action', 'Api Key'],
    ['action', 'a,,b'],
    ['action', 'a,b,c,d,e,f,g,h,i,j,k'],
    ['action', 'a'.repeat(101)],
    ['user', '0'],
    ['user', '-1'],
    ['user', '1e3'],
    ['user', '2147483648'],
    ['actor', 'nobody'],
    ['key', 'sk-abc'],
    ['from', 'yesterday'],
    ['from', '7'],
    ['from', '2026-13-01T00:00Z'],
    ['to', '1969-12-31T23:59:59Z'],
    ['to', '+010000-01-01T00:00:00Z'],
  ])('%s=%s → left out and named; the rest is kept', (name, value) => {
    const params = new URLSearchParams({ [name]: value });
    const other = name === 'user' ? 'key' : 'user';
    params.set(other, '5');
    const { filter, wrong } = readFilter(params);
    expect(wrong).toEqual([name]);
    expect(trailLink(filter)).toBe(`#operate/trail?${other}=5`);
  });

  it('a filter → the arguments of GraphQL and of REST', () => {
    const { filter } = read(all);
    const times = { from: '2026-11-29T07:00:00.000Z', to: '2026-11-29T08:30:59.999Z' };
    const action = 'api-key-created,api-key-leaked';
    expect(toArguments(filter)).toEqual({ action, userId: 7, actor: 'operator', keyId: 12, ...times });
    expect(Object.fromEntries(new URLSearchParams(toQuery(filter)))).toEqual({
      action,
      user_id: '7',
      actor: 'operator',
      key_id: '12',
      ...times,
    });
  });

  it.each(['2026-11-29T07:00:00.000Z', '2026-11-29T07:00:05.000Z', '2026-11-29T07:00:05.007Z'])(
    '%s → a field of the same time',
    (time) => {
      expect(new Date(toField(time)).toISOString()).toBe(time);
    },
  );
});
