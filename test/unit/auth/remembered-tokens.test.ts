import { inspect } from 'node:util';
import { LRUCache } from 'lru-cache';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AccessToken } from '../../../src/auth/access-token.ts';
import { RememberedTokens } from '../../../src/auth/caller.ts';
import type { KeySet, VerificationKey } from '../../../src/auth/verification-key.ts';
import { VerificationKeys } from '../../../src/auth/verification-keys.ts';

const now = Date.parse('2026-03-01T12:00:00.000Z');

let keys: VerificationKeys;
let remembered: RememberedTokens;
let read: () => Promise<KeySet>;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now });
  read = async () => [{} as VerificationKey];
  keys = new VerificationKeys(() => read(), { failed: () => {}, recovered: () => {} });
  await keys.refresh();
  remembered = new RememberedTokens();
});
afterEach(() => {
  keys[Symbol.dispose]();
  vi.useRealTimers();
});

const alice = (seconds = 300): AccessToken => ({
  issuer: 'https://id.example.com',
  subject: 'alice',
  scopes: new Set(['openid']),
  expiresAt: now / 1000 + seconds,
});

describe('a token that was verified', () => {
  it('is found again; other tokens are not', () => {
    const accessToken = alice();
    remembered.remember('a.b.c', accessToken, keys, keys.current);
    expect(remembered.recall('a.b.c')).toBe(accessToken);
    expect(remembered.recall('a.b.d')).toBeUndefined();
    expect(remembered.recall('a.b.C')).toBeUndefined();
    expect(remembered.recall('')).toBeUndefined();
  });

  it('is forgotten 60 seconds after it expired', () => {
    remembered.remember('a.b.c', alice(10), keys, keys.current);
    vi.setSystemTime(now + 70_000);
    expect(remembered.recall('a.b.c')).toBeDefined();
    vi.setSystemTime(now + 71_000);
    expect(remembered.recall('a.b.c')).toBeUndefined();
    vi.setSystemTime(now);
    expect(remembered.recall('a.b.c')).toBeUndefined();
  });

  it('takes the more room, the more organisations it names', () => {
    const organization = { role: 'read', name: null, config: {} } as const;
    const organizations = new Map(Array.from({ length: 200 }, (_, at) => [`o${at}`, organization]));
    const kept = (given: Partial<AccessToken>) => {
      const tokens = new RememberedTokens();
      const names = Array.from({ length: 1_000 }, (_, at) => `${at}.b.c`);
      for (const name of names) tokens.remember(name, { ...alice(), ...given }, keys, keys.current);
      return names.filter((name) => tokens.recall(name) !== undefined).length;
    };
    expect(kept({})).toBe(1_000);
    expect(kept({ organizations })).toBe(248);
  });

  it('is forgotten when the keys are read again', async () => {
    remembered.remember('a.b.c', alice(), keys, keys.current);
    await keys.refresh();
    expect(remembered.recall('a.b.c')).toBeUndefined();
  });

  it('is kept when the keys could not be read again', async () => {
    remembered.remember('a.b.c', alice(), keys, keys.current);
    read = () => Promise.reject(new Error('down'));
    await keys.refresh();
    expect(remembered.recall('a.b.c')).toBeDefined();
  });

  it('is kept when the keys of another issuer are read again', async () => {
    using others = new VerificationKeys(read, { failed: () => {}, recovered: () => {} });
    remembered.remember('a.b.c', alice(), keys, keys.current);
    await others.refresh();
    expect(remembered.recall('a.b.c')).toBeDefined();
  });
});

describe('the cache', () => {
  it('has at most 10,000 tokens: the least recently used is removed', () => {
    for (let index = 0; index < 10_000; index += 1)
      remembered.remember(`a.${index}.c`, alice(), keys, keys.current);
    expect(remembered.recall('a.0.c')).toBeDefined();
    remembered.remember('a.10000.c', alice(), keys, keys.current);
    const known = Array.from({ length: 10_001 }, (_, index) => remembered.recall(`a.${index}.c`));
    expect(known.filter((accessToken) => accessToken === undefined)).toHaveLength(1);
    expect(known[1]).toBeUndefined();
  });

  it('contains digests instead of tokens', () => {
    const set = vi.spyOn(LRUCache.prototype, 'set');
    const token = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl';
    remembered.remember(token, alice(), keys, keys.current);
    const text = inspect(set.mock.calls, { depth: Infinity, showHidden: true });
    expect(set).toHaveBeenCalledTimes(1);
    expect(set.mock.calls[0]?.[0]).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    for (const part of token.split('.')) expect(text).not.toContain(part);
  });

  it('stores nothing of a token that is only looked up', () => {
    const set = vi.spyOn(LRUCache.prototype, 'set');
    remembered.recall('a.b.c');
    expect(set).not.toHaveBeenCalled();
    expect(remembered.recall('a.b.c')).toBeUndefined();
  });
});
