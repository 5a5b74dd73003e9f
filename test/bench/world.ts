import { randomUUID } from 'node:crypto';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keyVerifier, signedIn } from '../../src/auth/scopes.ts';
import { startIssuer, type TokenClaims } from '../support/issuer.ts';
import { createTemporaryFolder } from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';
import { createDatabase, type Size } from './database.ts';

/** An access token, and whose it is. */
export interface UserToken {
  /** The id of the account. */
  readonly user: number;
  readonly token: string;
}

const lifetime = 24 * 60 * 60;

/** What all servers of a run have in common: an issuer with tokens of many users, and a database to copy. */
export async function createWorld(size: Size, tokenCount: number) {
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await createTemporaryFolder());
  const issuer = stack.use(await startIssuer('RS256'));
  const { issuer: url } = issuer.config;
  const template = join(folder, 'template.db');
  const templateUrl = `sqlite:${template}`;
  await createDatabase(templateUrl, url, size);

  const now = Math.floor(Date.now() / 1000);
  const sign = (subject: string, claims: TokenClaims = {}, header = {}) =>
    issuer.sign({ sub: subject, iat: now, exp: now + lifetime, jti: randomUUID(), ...claims }, header);
  // Spread over all users where there are fewer tokens.
  const step = Math.max(1, Math.floor(size.users / tokenCount));
  const tokens: UserToken[] = [];
  for (let index = 0; index < tokenCount; index += 1) {
    const user = ((index * step) % size.users) + 1;
    tokens.push({ user, token: await sign(`user-${user}`) });
  }
  /** Tokens of user 1 that each lack something. */
  const refused = {
    expired: await sign('user-1', { exp: now - 3600 }),
    'for another audience': await sign('user-1', { aud: 'another' }),
    'of another issuer': await sign('user-1', { iss: 'http://127.0.0.1:1' }),
    'without a subject': await sign('user-1', { sub: undefined } as never),
    'an ID token': await sign('user-1', { nonce: 'n' }, { typ: 'JWT' }),
    forged: `${(await sign('user-1')).slice(0, -8)}AAAAAAAA`,
  };

  const all = stack.move();
  return {
    folder,
    issuer: url,
    audience: 'keyward',
    /** The servers' own secrets, as variables. */
    secrets: secretVariables(),
    /** The database that is copied. */
    templateUrl,
    size,
    tokens,
    refused,
    /** Somebody without an account. */
    stranger: await sign('stranger'),
    /** User 1 without the scope that deactivation needs. */
    withoutAdmin: await sign('user-1', { scope: signedIn.join(' ') }),
    /** A provider's server. */
    verifier: await sign('provider', { scope: keyVerifier.join(' ') }),
    /** A copy of the database, for one server. */
    copyDatabase: async () => {
      const file = join(folder, `${randomUUID()}.db`);
      await copyFile(template, file);
      return file;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** What all servers of a run have in common. */
export type World = Awaited<ReturnType<typeof createWorld>>;
