import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { accountAdmin } from '../../src/auth/scopes.ts';
import type { IssuerConfig } from '../../src/config/config.ts';
import { plainIssuer, scopesOverOthers } from '../../src/config/issuers.ts';

/** What an access token of the tests carries unless told otherwise. */
export type TokenClaims = JWTPayload & { scope?: unknown; scp?: unknown; client_id?: unknown };

/** What an issuer signs by. An RSA key takes a quarter of a second to make, and signs in five times the time. */
export type SigningAlgorithm = 'ES256' | 'RS256';

/**
 * An issuer that publishes its metadata and keys over HTTP, and signs whatever a test wants signed.
 * It holds one key, and one on Ed25519; the keys that it publishes may be replaced.
 */
export async function startIssuer(alg: SigningAlgorithm = 'ES256') {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const ed25519 = await generateKeyPair('EdDSA', { extractable: true });
  const published = {
    keys: [
      { ...(await exportJWK(publicKey)), kid: 'test-1', alg, use: 'sig' },
      { ...(await exportJWK(ed25519.publicKey)), kid: 'ed25519', alg: 'EdDSA', use: 'sig' },
    ] as JWK[],
  };
  let issuer = '';
  let reads = 0;
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.url === '/.well-known/openid-configuration') {
      return response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/jwks` }));
    }
    reads += 1;
    return response.end(JSON.stringify(published));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const config: IssuerConfig = {
    issuer,
    jwksUri: undefined,
    audiences: ['keyward'],
    clientIds: [],
    algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
    ...plainIssuer,
    scopeAliases: new Map(),
    grants: scopesOverOthers,
  };

  /** An access token; a claim or header member given as undefined is left out. */
  const sign = (claims: TokenClaims = {}, header: Partial<JWTHeaderParameters> = {}, key = privateKey) => {
    const now = Math.floor(Date.now() / 1000);
    const all = {
      iss: issuer,
      aud: 'keyward',
      sub: 'alice',
      iat: now,
      exp: now + 300,
      scope: accountAdmin.join(' '),
      ...claims,
    };
    const protectedHeader = { alg, kid: 'test-1', typ: 'at+jwt', ...header };
    return new SignJWT(JSON.parse(JSON.stringify(all)))
      .setProtectedHeader(JSON.parse(JSON.stringify(protectedHeader)))
      .sign(key);
  };

  /** The same by the key on Ed25519, better-auth's kind; `kid` may be left out. */
  const signByEd25519 = (claims: TokenClaims, { kid }: { kid: string | undefined }) =>
    sign(claims, { alg: 'EdDSA', kid } as JWTHeaderParameters, ed25519.privateKey);

  return {
    config,
    sign,
    signByEd25519,
    /** The key set that it publishes. */
    published,
    privateKey,
    publicKey,
    /** How often its key set was read. */
    reads: () => reads,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A running test issuer. */
export type TestIssuer = Awaited<ReturnType<typeof startIssuer>>;
