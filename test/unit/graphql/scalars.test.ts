import { describe, expect, it } from 'vitest';
import { parseDateTime } from '../../../src/graphql/scalars.ts';

describe('a date-time', () => {
  it.each([
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00.5Z', '2026-01-31T12:00:00.500Z'],
    ['2026-01-31T12:00:00.1239Z', '2026-01-31T12:00:00.123Z'],
    ['2026-01-31T12:00:00.999999999Z', '2026-01-31T12:00:00.999Z'],
    ['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
    ['2026-01-31T12:00:00.25-05:30', '2026-01-31T17:30:00.250Z'],
    ['2026-03-01T00:30:00+01:00', '2026-02-28T23:30:00.000Z'],
    ['2028-02-29T23:59:59Z', '2028-02-29T23:59:59.000Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s → %s', (text, moment) => {
    expect(parseDateTime(text).toISOString()).toBe(moment);
  });
});

describe('a value that is no date-time → refused', () => {
  const refusal = (
    type: string,
    message = 'Must be a date-time with an offset, such as 2026-01-31T12:00:00Z.',
  ) =>
    expect.objectContaining({
      message,
      extensions: { type },
    });

  it.each([
    '',
    'now',
    '2026-01-31',
    '2026-01-31T12:00Z',
    '2026-01-31 12:00:00Z',
    '2026-01-31t12:00:00z',
    ' 2026-01-31T12:00:00Z',
    '2026-01-31T12:00:00Z\n',
    '2026-01-31T12:00:00.Z',
    '2026-01-31T12:00:00,5Z',
    '2026-01-31T12:00:00.1234567890Z',
    '2026-01-31T12:00:00+0200',
    '2026-01-31T12:00:00+02',
    '2026-01-31T12:00:00+24:00',
    '2026-01-31T12:00:00+02:60',
    '2026-02-30T12:00:00Z',
    '2026-02-29T12:00:00Z',
    '2026-04-31T12:00:00Z',
    '2026-13-01T12:00:00Z',
    '2026-00-01T12:00:00Z',
    '2026-01-00T12:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T12:60:00Z',
    '2026-12-31T23:59:60Z',
    '2026-02-30T12:00:00',
    '+012026-01-31T12:00:00Z',
    '10000-01-01T00:00:00Z',
    '٢٠٢٦-01-31T12:00:00Z',
    1769860800,
    0,
    true,
    null,
    {},
    ['2026-01-31T12:00:00Z'],
    new Date(0),
  ])('%j', (value) => {
    expect(() => parseDateTime(value)).toThrow(refusal('datetime_parsing'));
  });

  it.each([
    '0000-01-01T00:00:00Z',
    '1969-12-31T23:59:59Z',
    '1970-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
  ])('%s, which is out of bounds', (text) => {
    const years = 'Must be in the years 1970 to 9999 (UTC).';
    expect(() => parseDateTime(text)).toThrow(refusal('datetime_parsing', years));
  });

  it.each(['2026-01-31T12:00:00', '2026-01-31T12:00:00.123'])('%s, without an offset', (text) => {
    expect(() => parseDateTime(text)).toThrow(refusal('timezone_aware'));
  });
});
