import { describe, expect, it } from 'vitest';
import { insufficientScope, invalidToken, notAuthenticated } from '../../../src/auth/challenge.ts';

const challengeOf = (error: { headers: Readonly<Record<string, string>> }) =>
  error.headers['www-authenticate'];

describe('401', () => {
  it('no token → a challenge without an error', () => {
    const error = notAuthenticated();
    expect(error).toMatchObject({ status: 401, message: 'Not authenticated' });
    expect(challengeOf(error)).toBe('Bearer realm="keyward"');
  });

  it('an invalid token → always the same answer; only the logged reason differs', () => {
    const [one, other] = [invalidToken('expired'), invalidToken('signature', new Error('no'))];
    expect(one).toMatchObject({ status: 401, message: 'Could not validate credentials' });
    expect(challengeOf(one)).toBe('Bearer realm="keyward", error="invalid_token"');
    expect([other.message, other.status, other.headers]).toEqual([one.message, one.status, one.headers]);
    expect([one.reason, other.reason]).toEqual(['token-expired', 'token-signature']);
  });
});

describe('403', () => {
  it('names the missing scopes, and the challenge names all required scopes', () => {
    const error = insufficientScope(['email'], ['openid', 'email']);
    expect(error).toMatchObject({ status: 403, message: 'The access token lacks the scope: email' });
    expect(challengeOf(error)).toBe(
      'Bearer realm="keyward", error="insufficient_scope", scope="openid email"',
    );
  });
});
