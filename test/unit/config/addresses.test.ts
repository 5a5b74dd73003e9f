import { describe, expect, it } from 'vitest';
import { canonicalAddress, createAddressTest, isAddressRange } from '../../../src/config/values/addresses.ts';

describe('isAddressRange', () => {
  it.each([
    '192.0.2.1',
    '10.0.0.0/8',
    '0.0.0.0/0',
    '2001:db8::/32',
    '::1',
    '::ffff:10.0.0.0/104',
    'loopback',
  ])('accepts %s', (text) => expect(isAddressRange(text)).toBe(true));

  it.each([
    '',
    'localhost',
    'proxy.example.com',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0',
    '010.0.0.1',
    '2001:db8::/129',
    'fe80::1%eth0',
    '*',
    'constructor',
  ])('refuses %j', (text) => expect(isAddressRange(text)).toBe(false));
});

describe('canonicalAddress', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:203.0.113.9', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['0:0:0:0:0:FFFF:203.0.113.9', '203.0.113.9'],
    // Another address: nobody's IPv4 one.
    ['::203.0.113.9', '::203.0.113.9'],
    ['2001:DB8::1', '2001:db8::1'],
    ['2001:0db8:0:0:0:0:0:0001', '2001:db8::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['64:ff9b::203.0.113.9', '64:ff9b::cb00:7109'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::ffff:203.0.113.9%eth0', '203.0.113.9'],
    ['0::0', '::'],
  ])('%s → %s', (address, canonical) => expect(canonicalAddress(address)).toBe(canonical));
});

describe('createAddressTest', () => {
  const isInside = createAddressTest(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', 'fe80::/10', 'loopback']);

  it.each([
    '10.255.0.1',
    '::ffff:10.1.2.3',
    '192.0.2.7',
    '2001:db8:1::5',
    '2001:DB8:1::5',
    'fe80::1%eth0',
    '127.0.0.1',
    '127.9.9.9',
    '::1',
    '::ffff:127.0.0.1',
  ])('%s → inside the ranges', (address) => expect(isInside(address)).toBe(true));

  it.each(['11.0.0.1', '192.0.2.8', '2001:db9::1', '::2', '::ffff:11.0.0.1', 'unknown', '', '10.0.0.1:80'])(
    '%j → outside the ranges',
    (address) => expect(isInside(address)).toBe(false),
  );

  it('no ranges → no address matches', () => {
    expect(createAddressTest([])('127.0.0.1')).toBe(false);
  });
});
