import { describe, expect, it } from 'vitest';
import { beginExchange } from '../../../src/http/exchange.ts';
import { forwarded } from '../../../src/http/forwarded.ts';

const handle = forwarded(['10.0.0.0/8', '2001:db8::/32'])(async () => ({
  status: 200,
  headers: {},
  body: '',
}));

/** What is known of a request from a peer after it has passed. */
const seen = (peer: string | null, headers: Record<string, string>) => {
  const exchange = beginExchange({ method: 'GET', url: '/', headers }, peer);
  void handle(exchange);
  return exchange;
};

const forwardedFor = (peer: string | null, text: string) => seen(peer, { 'x-forwarded-for': text }).address;

describe("the client's address", () => {
  it.each([
    ['one proxy', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['two proxies', '10.0.0.1', '203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['one that the client has made up', '10.0.0.1', '1.1.1.1, 203.0.113.9', '203.0.113.9'],
    [
      'a trusted one that the client has made up',
      '10.0.0.1',
      '10.9.9.9, 203.0.113.9,10.0.0.2',
      '203.0.113.9',
    ],
    ['proxies alone', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['a peer that is mapped into IPv6', '::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['IPv6', '2001:db8::1', '2001:db9::7', '2001:db9::7'],
    ['a port', '10.0.0.1', '203.0.113.9:5123', '203.0.113.9'],
    ['a port with IPv6', '10.0.0.1', '[2001:db9::7]:443', '2001:db9::7'],
    ['brackets', '10.0.0.1', '[2001:db9::7]', '2001:db9::7'],
    ['a network interface, which may be of any length', '10.0.0.1', `fe80::1%${'z'.repeat(9000)}`, 'fe80::1'],
  ])(
    'is the last forwarded one that is no trusted proxy, or else the first: %s',
    (_what, peer, text, address) => {
      expect(forwardedFor(peer, text)).toBe(address);
    },
  );

  it.each([
    ['a stranger', '203.0.113.1', '1.1.1.1', '203.0.113.1'],
    ['a word', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['a word before a proxy', '10.0.0.1', 'unknown, 10.0.0.2', '10.0.0.2'],
    ['a line break', '10.0.0.1', '1.1.1.1\t10.0.0.9', '10.0.0.1'],
    ['nothing', '10.0.0.1', '', '10.0.0.1'],
    ['an obfuscated name', '10.0.0.1', '_hidden', '10.0.0.1'],
  ])('is not taken from a stranger, nor from text that is no address: %s', (_what, peer, text, address) => {
    expect(forwardedFor(peer, text)).toBe(address);
  });

  it('nothing forwarded → the peer; no peer → unknown', () => {
    expect(seen('10.0.0.1', {}).address).toBe('10.0.0.1');
    expect(forwardedFor(null, '1.1.1.1')).toBe(null);
  });

  it('is not read from the header Forwarded', () => {
    expect(seen('10.0.0.1', { forwarded: 'for=203.0.113.9' }).address).toBe('10.0.0.1');
  });
});

describe('X-Forwarded-Proto', () => {
  it.each([
    ['10.0.0.1', 'http', true],
    ['10.0.0.1', 'HTTP, https', true],
    ['10.0.0.1', 'https', false],
    ['10.0.0.1', 'https, http', false],
    ['203.0.113.1', 'http', false],
  ])('from %s: %s → believed only if it comes from a trusted proxy', (peer, protocol, isPlainHttp) => {
    expect(seen(peer, { 'x-forwarded-proto': protocol }).isPlainHttp).toBe(isPlainHttp);
  });
});
