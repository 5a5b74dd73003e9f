import { describe, expect, it } from 'vitest';
import { isSecureUrl } from '../../../src/config/values/kinds.ts';

describe('isSecureUrl', () => {
  it.each([
    ['https://id.example.com', true],
    ['http://localhost:4000/idp', true],
    ['http://127.0.0.1:4000', true],
    ['http://127.8.9.10', true],
    ['http://[::1]:4000', true],
    // Every address of this machine, which others reach too.
    ['http://0.0.0.0:4000', false],
    ['http://0:4000', false],
    ['http://[::]:4000', false],
    ['http://[::ffff:0.0.0.0]', false],
    ['http://id.example.com', false],
    ['http://localhost.example.com', false],
    ['http://127.0.0.1.example.com', false],
    ['http://10.0.0.1', false],
    ['http://[::2]', false],
    ['ftp://localhost', false],
    ['file:///etc/passwd', false],
  ])('%s → %s', (url, secure) => {
    expect(isSecureUrl(new URL(url))).toBe(secure);
  });
});
