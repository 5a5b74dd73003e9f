import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Caller } from './caller.ts';
import { discoverKeySet } from './key-set.ts';
import { invalidToken, notAuthenticated } from './refusal.ts';

/** How far clocks may differ, in seconds. */
const clockTolerance = 60;

interface Remembered extends Caller {
  readonly expiresAt: number;
}

const toCaller = ({ iss = '', sub = '', exp = 0, scope }: JWTPayload): Remembered => ({
  issuer: iss,
  subject: sub,
  scopes: new Set(typeof scope === 'string' ? scope.split(' ') : []),
  expiresAt: exp,
});

/** Access tokens, verified with jose against the issuer's key set, and remembered until they expire. */
export class AccessTokens {
  readonly #remembered = new LRUCache<string, Remembered>({ max: 10_000 });
  readonly #verify: (token: string) => Promise<Remembered>;

  private constructor(verify: (token: string) => Promise<Remembered>) {
    this.#verify = verify;
  }

  /** Finds the issuer's key set. */
  static async open(issuer: string, audience: string): Promise<AccessTokens> {
    const keySet = createRemoteJWKSet(new URL(await discoverKeySet(issuer)));
    const options = {
      issuer,
      audience,
      algorithms: ['RS256'],
      typ: 'at+jwt',
      clockTolerance,
      requiredClaims: ['sub', 'exp'],
    };
    return new AccessTokens(async (token) => toCaller((await jwtVerify(token, keySet, options)).payload));
  }

  /**
   * Who sent a request, at once where the token was seen before.
   * @throws {Refusal} 401
   */
  authenticate(authorization: string | undefined): Caller | Promise<Caller> {
    if (!authorization?.startsWith('Bearer ')) throw notAuthenticated();
    const token = authorization.slice('Bearer '.length);
    const remembered = this.#remembered.get(token);
    if (remembered && Date.now() / 1000 <= remembered.expiresAt + clockTolerance) return remembered;
    return this.#remember(token);
  }

  async #remember(token: string): Promise<Caller> {
    try {
      const caller = await this.#verify(token);
      this.#remembered.set(token, caller);
      return caller;
    } catch (cause) {
      throw invalidToken(cause);
    }
  }
}
