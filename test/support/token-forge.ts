import { constants, createHmac, generateKeyPairSync, KeyObject, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IssuerConfig } from '../../src/config/config.ts';
import { startIllBehavedIssuer } from './ill-behaved-issuer.ts';

/** Every algorithm that may be trusted; the tests of forged tokens trust them all. */
export const algorithms: IssuerConfig['algorithms'] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** A part of a token, encoded as it stands. */
export const encode = (part: string | Buffer | object): string =>
  Buffer.from(typeof part === 'string' || Buffer.isBuffer(part) ? part : JSON.stringify(part)).toString(
    'base64url',
  );

/** A signature over any bytes under any algorithm, those too that a careful library would not make. */
export function signBytes(algorithm: string, key: KeyObject, input: string): Buffer {
  const bytes = Buffer.from(input);
  const hash = `sha${algorithm.slice(-3)}`;
  switch (algorithm.slice(0, 2).toUpperCase()) {
    case 'RS':
      return sign(hash, bytes, key);
    case 'PS':
      return sign(hash, bytes, {
        key,
        padding: constants.RSA_PKCS1_PSS_PADDING,
        saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
      });
    case 'ES':
      return sign(hash, bytes, { key, dsaEncoding: 'ieee-p1363' });
    case 'HS':
      return createHmac(hash, key).update(bytes).digest();
    default:
      return sign(null, bytes, key);
  }
}

/** What a token is made of; what is left out is as in a good one. A text stands for JSON as it is written. */
export interface Recipe {
  /** Members in place of those of a good header; undefined leaves one out. */
  readonly header?: Readonly<Record<string, unknown>> | string;
  /** Members in place of a good token's claims; undefined leaves one out. */
  readonly claims?: Readonly<Record<string, unknown>> | string | Buffer;
  /** The signing key, else the one that the issuer publishes as `test-1`. */
  readonly key?: KeyObject;
  /** The algorithm that really signs, else the header's. */
  readonly signedBy?: string;
}

const pair = (type: 'rsa', modulusLength: number) => generateKeyPairSync(type, { modulusLength });
const curve = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });

const publish = (publicKey: KeyObject, members: object) => ({
  ...publicKey.export({ format: 'jwk' }),
  ...members,
});

const makeKeys = () => ({
  rsa: pair('rsa', 2048),
  weak: pair('rsa', 1024),
  stranger: pair('rsa', 2048),
  p256: curve('P-256'),
  p384: curve('P-384'),
  p521: curve('P-521'),
  k256: curve('secp256k1'),
  ed25519: generateKeyPairSync('ed25519'),
  ed448: generateKeyPairSync('ed448'),
});

/** Made once for all files: RSA keys take their time. */
let made: ReturnType<typeof makeKeys> | undefined;

/** An issuer with a key for every purpose, good and bad, and the means to make any token in its name. */
export async function startForge() {
  const issuer = await startIllBehavedIssuer('RS256');
  const attacker = await startAttacker();
  const main = { privateKey: KeyObject.from(issuer.privateKey), publicKey: KeyObject.from(issuer.publicKey) };
  made ??= makeKeys();
  const { rsa, weak, p256, p384, p521, k256, ed25519, ed448 } = made;
  // Of the issuer's own keys, only the first is used here.
  issuer.published.keys.splice(1);
  issuer.published.keys.push(
    publish(rsa.publicKey, { kid: 'rsa' }),
    publish(rsa.publicKey, { kid: 'rsa-rs256', alg: 'RS256' }),
    publish(rsa.publicKey, { kid: 'rsa-ps256', alg: 'PS256' }),
    publish(rsa.publicKey, { kid: 'rsa-encryption', use: 'enc' }),
    publish(rsa.publicKey, { kid: 'rsa-oaep', alg: 'RSA-OAEP-256' }),
    publish(rsa.publicKey, { kid: 'rsa-encrypts', key_ops: ['encrypt', 'wrapKey'] }),
    publish(rsa.publicKey, { kid: 'rsa-verifies', key_ops: ['verify'] }),
    publish(weak.publicKey, { kid: 'rsa-weak' }),
    publish(p256.publicKey, { kid: 'p256' }),
    publish(p256.publicKey, { kid: 'p256-agreement', alg: 'ECDH-ES' }),
    publish(p384.publicKey, { kid: 'p384' }),
    publish(p384.publicKey, { kid: 'p384-es256', alg: 'ES256' }),
    publish(p521.publicKey, { kid: 'p521' }),
    publish(k256.publicKey, { kid: 'k256' }),
    publish(ed25519.publicKey, { kid: 'ed25519' }),
    publish(ed25519.publicKey, { kid: 'ed25519-eddsa', alg: 'EdDSA' }),
    publish(ed25519.publicKey, { kid: 'ed25519-encryption', use: 'enc' }),
    publish(ed448.publicKey, { kid: 'ed448' }),
    { kty: 'oct', k: encode('a secret that everybody can read'), kid: 'symmetric' },
  );

  /** A token, good unless the recipe says otherwise. */
  const forge = ({ header = {}, claims = {}, key = main.privateKey, signedBy }: Recipe = {}): string => {
    const now = Math.floor(Date.now() / 1000);
    const goodHeader = { alg: 'RS256', kid: 'test-1', typ: 'at+jwt' };
    const goodClaims = {
      iss: issuer.config.issuer,
      aud: 'keyward',
      sub: 'alice',
      iat: now,
      exp: now + 300,
      // Of one input some algorithms make one signature: no two tokens may be the same.
      jti: randomUUID(),
      scope: 'openid email profile',
    };
    const raw = typeof claims === 'string' || Buffer.isBuffer(claims);
    const input = [
      encode(typeof header === 'string' ? header : { ...goodHeader, ...header }),
      encode(raw ? claims : { ...goodClaims, ...claims }),
    ].join('.');
    const named = typeof header === 'string' ? undefined : header['alg'];
    const algorithm = signedBy ?? (typeof named === 'string' ? named : 'RS256');
    return `${input}.${encode(signBytes(algorithm, key, input))}`;
  };

  return {
    ...issuer,
    config: { ...issuer.config, algorithms, clientIds: ['our-client'] } satisfies IssuerConfig,
    forge,
    /** Where a stranger publishes keys. */
    attacker: attacker.url,
    /** How often anyone has asked the stranger. */
    attackerRequests: attacker.requests,
    keys: { main, ...made },
    [Symbol.asyncDispose]: async () => {
      await attacker[Symbol.asyncDispose]();
      await issuer[Symbol.asyncDispose]();
    },
  };
}

/** A server of somebody else's, which a token may point to and nobody may ask. */
async function startAttacker() {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.end('{"keys":[]}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

/** A running issuer whose keys make every token of the tests. */
export type Forge = Awaited<ReturnType<typeof startForge>>;
