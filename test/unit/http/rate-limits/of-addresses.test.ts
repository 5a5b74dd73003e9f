import { describe, expect, it } from 'vitest';
import { clientKeyOf } from '../../../../src/http/rate-limits/of-addresses.ts';

describe('clientKeyOf', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8::/64'],
    ['2001:db8:0:1::', '2001:db8:0:1::/64'],
    ['2001:0:0:1:2:3:4:5', '2001:0:0:1::/64'],
    ['::1', '::/64'],
    ['', ''],
  ])('%j is counted as %s', (address, key) => expect(clientKeyOf(address)).toBe(key));
});
