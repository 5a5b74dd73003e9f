import { createSecretKey, type KeyObject } from 'node:crypto';
import { encode, type Forge, type Recipe, signBytes } from './token-forge.ts';

/** A token that must be refused for one reason, and one that differs from it in that reason alone. */
export interface ForgedToken {
  readonly name: string;
  /** The check that must refuse it, as the log names it. */
  readonly reason: string;
  readonly forged: (forge: Forge) => string;
  readonly twin: (forge: Forge) => string;
}

type Make = (forge: Forge) => Recipe;

const good: Make = () => ({});

/** A row whose tokens are signed as their recipes say. */
const row = (reason: string, name: string, forged: Make, twin = good): ForgedToken => ({
  name,
  reason: `token-${reason}`,
  forged: (forge) => forge.forge(forged(forge)),
  twin: (forge) => forge.forge(twin(forge)),
});

/** Rows that differ from a good token in one claim; what a good one has may be given. */
const claim = (reason: string, name: string, wrong: unknown, right?: unknown): ForgedToken =>
  row(
    reason,
    `${name} ${JSON.stringify(wrong)?.slice(0, 60)}`,
    () => ({ claims: { [name]: wrong } }),
    right === undefined ? good : () => ({ claims: { [name]: right } }),
  );

/** A row whose forged token is a good one, spoiled. */
const spoiled = (
  reason: string,
  name: string,
  spoil: (token: string, forge: Forge) => string,
  recipe = good,
): ForgedToken => ({
  name,
  reason: `token-${reason}`,
  forged: (forge) => spoil(forge.forge(recipe(forge)), forge),
  twin: (forge) => forge.forge(recipe(forge)),
});

type Parts = readonly [header: string, claims: string, signature: string];

const partsOf = (token: string) => token.split('.') as unknown as Parts;

/** A token with one of its parts changed, and the signature that it had. */
const changed = (index: number, edit: (part: string) => string) => (token: string) =>
  partsOf(token)
    .map((part, at) => (at === index ? edit(part) : part))
    .join('.');

/** A token with its first two parts changed, signed again by the issuer: its signature is not what is wrong. */
const resigned =
  (edit: (header: string, claims: string) => readonly [string, string]) =>
  (token: string, { keys }: Forge) => {
    const [header, claims] = partsOf(token);
    const input = edit(header, claims).join('.');
    return `${input}.${encode(signBytes('RS256', keys.main.privateKey, input))}`;
  };

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The same bytes in another spelling, for a part whose last character has a bit to spare. */
const respell = (part: string) => part.slice(0, -1) + alphabet[alphabet.indexOf(part.at(-1) as string) ^ 1];

/** JSON of a length that leaves bits to spare, and so has another spelling. */
const respellable = (json: object) => {
  const text = JSON.stringify(json);
  return text.length % 3 === 0 ? `${text} ` : text;
};

const bytesOf = (part: string) => Buffer.from(part, 'base64url');

const flipBit = (position: number) => (part: string) => {
  const bytes = bytesOf(part);
  const at = position < 0 ? bytes.length + position : position;
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  return encode(bytes);
};

const replaced = (from: string, to: string) => (part: string) =>
  encode(bytesOf(part).toString('utf8').replace(from, to));

const withoutLastByte = (part: string) => encode(bytesOf(part).subarray(0, -1));

const malformed: ForgedToken[] = [
  spoiled('malformed', 'one part', (token) => partsOf(token)[0]),
  spoiled('malformed', 'two parts', (token) => partsOf(token).slice(0, 2).join('.')),
  spoiled('malformed', 'four parts', (token) => `${token}.${partsOf(token)[2]}`),
  spoiled('malformed', 'five parts, as if encrypted', (token) => `${token}.AAAA.AAAA`),
  spoiled('malformed', 'a dot at the end', (token) => `${token}.`),
  spoiled('malformed', 'a dot at the start', (token) => `.${token}`),
  spoiled(
    'malformed',
    'an empty header',
    changed(0, () => ''),
  ),
  spoiled(
    'malformed',
    'empty claims',
    changed(1, () => ''),
  ),
  spoiled(
    'malformed',
    'an empty signature',
    changed(2, () => ''),
  ),
  spoiled('malformed', 'two tokens', (token) => `${token} ${token}`),
  spoiled('malformed', 'two tokens with a comma', (token) => `${token},${token}`),
  spoiled('malformed', 'a space inside', (token) => token.replace('.', '. ')),
  spoiled('malformed', 'a tab inside', (token) => token.replace('.', '.\t')),
  spoiled('malformed', 'quoted', (token) => `"${token}"`),
  spoiled('malformed', 'JSON serialization', (token) => {
    const [header, payload, signature] = partsOf(token);
    return JSON.stringify({ protected: header, payload, signature });
  }),
  spoiled(
    'malformed',
    'padding',
    changed(2, (part) => `${part}==`),
  ),
  spoiled(
    'malformed',
    'a sign of the other alphabet',
    changed(2, (part) => `+${part.slice(1)}`),
  ),
  spoiled(
    'malformed',
    'a letter that is none of the alphabet',
    changed(1, (part) => `é${part}`),
  ),
  spoiled(
    'malformed',
    'a header that is no base64',
    changed(0, () => 'A'),
  ),
  spoiled(
    'malformed',
    'claims that are no base64',
    changed(1, () => 'AAAAA'),
  ),
  spoiled(
    'malformed',
    'a signature that is no base64',
    changed(2, (part) => `${part}AAA`),
  ),
  spoiled('malformed', 'a signature in another spelling', changed(2, respell)),
  spoiled(
    'malformed',
    'a header in another spelling',
    resigned((header, claims) => [respell(header), claims]),
    () => ({ header: respellable({ alg: 'RS256', kid: 'test-1', typ: 'at+jwt' }) }),
  ),
  spoiled(
    'malformed',
    'claims in another spelling',
    resigned((header, claims) => [header, respell(claims)]),
    (forge) => ({ claims: respellable(claimsOf(forge)) }),
  ),
  ...['', 'x', '{"alg":"RS256"', '[]', '"RS256"', '5', 'null', "{'alg':'RS256'}"].map((text) =>
    row('malformed', `the header ${text}`, () => ({ header: text || ' ' })),
  ),
  ...['x', '{"sub":"alice"', '[]', '"alice"', '5', 'null', '{"exp":NaN}', '{"sub":"alice",}'].map((text) =>
    row('malformed', `the claims ${text}`, () => ({ claims: text })),
  ),
];

const badSignature: ForgedToken[] = [
  spoiled('signature', 'a header changed by a bit', changed(0, replaced('"a"', '"c"')), () => ({
    header: { note: 'a' },
  })),
  spoiled('signature', 'claims changed by a bit', changed(1, replaced('"alice"', '"alicd"'))),
  spoiled('signature', 'claims with one more scope', changed(1, replaced('profile', 'profile admin'))),
  ...[0, 128, -1].map((at) =>
    spoiled('signature', `a signature with a bit of byte ${at} flipped`, changed(2, flipBit(at))),
  ),
  spoiled('signature', 'a signature cut short', changed(2, withoutLastByte)),
  spoiled(
    'signature',
    'a signature with a byte more',
    changed(2, (part) => encode(Buffer.concat([bytesOf(part), Buffer.alloc(1)]))),
  ),
  spoiled('signature', 'the signature of another token', (token, { forge }) =>
    changed(2, () => partsOf(forge())[2])(token),
  ),
  spoiled('signature', 'the header as its signature', (token) => changed(2, () => partsOf(token)[0])(token)),
  row('signature', "another key of the issuer's", ({ keys }) => ({ key: keys.rsa.privateKey })),
  row('signature', "a stranger's key", ({ keys }) => ({ key: keys.stranger.privateKey })),
  row('signature', 'another hash', () => ({ signedBy: 'RS512' })),
  row('signature', 'another padding', () => ({ signedBy: 'PS256' })),
  row('signature', 'an HMAC in place of a signature', ({ keys }) => ({
    key: secretOf(pemOf(keys.main.publicKey)),
    signedBy: 'HS256',
  })),
];

/** `none` has no signature, and a signature that is empty is malformed: so it stands before one that is good. */
const none: ForgedToken[] = ['none', 'None', 'NONE', 'nOnE', 'none ', ''].flatMap((alg) => [
  row('algorithm', `alg "${alg}"`, () => ({ header: { alg }, signedBy: 'RS256' })),
  spoiled(
    'malformed',
    `alg "${alg}" without a signature`,
    () => `${encode({ alg, kid: 'test-1', typ: 'at+jwt' })}.${encode({})}.`,
  ),
]);

const pemOf = (key: KeyObject) => key.export({ format: 'pem', type: 'spki' }).toString();
const secretOf = (text: string | Buffer) => createSecretKey(Buffer.from(text));

/** What a public key may be spelled as, for who would use it as a secret. */
const spellings: [string, (key: KeyObject) => string | Buffer][] = [
  ['PEM', pemOf],
  ['PEM without its last line break', (key) => pemOf(key).trim()],
  ['PEM with its line breaks written out', (key) => pemOf(key).replaceAll('\n', '\\n')],
  ['PEM of PKCS #1', (key) => key.export({ format: 'pem', type: 'pkcs1' })],
  ['DER', (key) => key.export({ format: 'der', type: 'spki' })],
  ['JWK', (key) => JSON.stringify(key.export({ format: 'jwk' }))],
  ['modulus', (key) => `${key.export({ format: 'jwk' }).n}`],
];

const symmetric: ForgedToken[] = [
  ...['HS384', 'HS512', 'hs256', 'HS1'].map((alg) =>
    row('algorithm', `${alg} with the PEM of the public key`, ({ keys }) => ({
      header: { alg },
      key: secretOf(pemOf(keys.main.publicKey)),
      signedBy: alg === 'HS1' ? 'HS256' : alg,
    })),
  ),
  ...spellings.map(([name, spell]) =>
    row('algorithm', `HS256 with the ${name} of the public key`, ({ keys }) => ({
      header: { alg: 'HS256' },
      key: secretOf(spell(keys.main.publicKey)),
    })),
  ),
  row('algorithm', 'HS256 with an empty secret', () => ({ header: { alg: 'HS256' }, key: secretOf('') })),
  row('algorithm', 'HS256 with a secret that the issuer publishes', () => ({
    header: { alg: 'HS256', kid: 'symmetric' },
    key: secretOf('a secret that everybody can read'),
  })),
  row('unknown-key', 'RS256 and the id of a secret that is published', () => ({
    header: { kid: 'symmetric' },
  })),
];

const keyOf =
  (kid: string, alg: string, name: keyof Forge['keys']): Make =>
  ({ keys }) => ({
    header: { alg, kid },
    key: keys[name].privateKey,
  });

const otherAlgorithms: ForgedToken[] = [
  ...['rs256', 'RS256 ', 'RS1', 'RSA-OAEP', 'dir'].map((alg) =>
    row('algorithm', `alg "${alg}"`, () => ({ header: { alg }, signedBy: 'RS256' })),
  ),
  row('algorithm', 'no alg', () => ({ header: { alg: undefined } })),
  ...[['RS256'], null, 256, true].map((alg) =>
    row('algorithm', `alg ${JSON.stringify(alg)}`, () => ({ header: { alg } })),
  ),
  ...['Ed448', 'eddsa', 'ed25519', 'Ed25519ph'].map((alg) =>
    row(
      'algorithm',
      `${alg} with a key for EdDSA`,
      ({ keys }) => ({ header: { alg, kid: 'ed25519' }, key: keys.ed25519.privateKey, signedBy: 'EdDSA' }),
      keyOf('ed25519', 'EdDSA', 'ed25519'),
    ),
  ),
  row('algorithm', 'ES256K, which is not trusted', ({ keys }) => ({
    header: { alg: 'ES256K', kid: 'k256' },
    key: keys.k256.privateKey,
    signedBy: 'ES256',
  })),
];

/** As good ones by Ed25519, which another library verifies, but for what a row says. */
const edwards = (reason: string, name: string, wrong: Recipe, right: Recipe = {}): ForgedToken => {
  const make =
    ({ header, claims = {} }: Recipe): Make =>
    ({ keys }) => ({
      header: { alg: 'EdDSA', kid: 'ed25519', ...(header as object) },
      claims,
      key: keys.ed25519.privateKey,
      signedBy: 'EdDSA',
    });
  return row(reason, `by EdDSA, ${name}`, make(wrong), make(right));
};

const byEdwards: ForgedToken[] = [
  edwards('critical-header', 'crit', { header: { crit: ['b64'], b64: true } }, { header: { b64: true } }),
  edwards('type', 'typ', { header: { typ: 'id_token' } }),
  edwards('issuer', 'another issuer', { claims: { iss: 'https://id.example.com' } }),
  edwards('audience', 'another audience', { claims: { aud: 'other' } }),
  edwards(
    'audience',
    'another client',
    { claims: { aud: undefined, client_id: 'other' } },
    { claims: { aud: undefined, client_id: 'our-client' } },
  ),
  edwards('subject', 'no subject', { claims: { sub: undefined } }),
  edwards('no-expiry', 'no expiry', { claims: { exp: undefined } }),
  edwards('expired', 'expired', { claims: { exp: 1 } }),
  edwards('not-yet-valid', 'not yet valid', { claims: { nbf: 9_999_999_999 } }, { claims: { nbf: 1 } }),
  edwards('id-token', 'an ID token', { claims: { nonce: 'n-0S6_WzA2Mj' } }),
  edwards('unknown-key', 'an unknown key', { header: { kid: 'nobody' } }),
  edwards('unknown-key', 'a key for encryption', { header: { kid: 'ed25519-encryption' } }),
  edwards('unknown-key', 'a key on Ed448', { header: { kid: 'ed448' } }),
  edwards('key-algorithm', 'a key for RSA', { header: { kid: 'rsa' } }),
  edwards('key-algorithm', 'a key on P-256', { header: { kid: 'p256' } }),
  edwards(
    'key-algorithm',
    'a key for EdDSA, used for Ed25519',
    { header: { alg: 'Ed25519', kid: 'ed25519-eddsa' } },
    { header: { alg: 'EdDSA', kid: 'ed25519-eddsa' } },
  ),
  row(
    'key-algorithm',
    'a key on Ed25519, named for RS256',
    ({ keys }) => ({ header: { kid: 'ed25519' }, key: keys.rsa.privateKey }),
    keyOf('ed25519', 'Ed25519', 'ed25519'),
  ),
  row(
    'signature',
    "by EdDSA, a stranger's key",
    ({ keys }) => ({ header: { alg: 'EdDSA', kid: 'ed25519' }, key: keys.ed448.privateKey }),
    keyOf('ed25519', 'EdDSA', 'ed25519'),
  ),
  spoiled(
    'signature',
    'by EdDSA, claims changed by a bit',
    changed(1, replaced('"alice"', '"alicd"')),
    keyOf('ed25519', 'EdDSA', 'ed25519'),
  ),
];

/** A token that names no key is one of the only key of its algorithm. */
const withoutKid: ForgedToken[] = [
  row(
    'unknown-key',
    'no kid, and several keys of its algorithm',
    ({ keys }) => ({ header: { alg: 'PS256', kid: undefined }, key: keys.rsa.privateKey }),
    ({ keys }) => ({ header: { alg: 'ES256', kid: undefined }, key: keys.p256.privateKey }),
  ),
  ...(
    [
      ['ES256', 'p256'],
      ['ES384', 'p384'],
      ['ES512', 'p521'],
      ['Ed25519', 'ed25519'],
    ] as const
  ).flatMap(([alg, name]) => {
    const good: Make = ({ keys }) => ({ header: { alg, kid: undefined }, key: keys[name].privateKey });
    return [
      row(
        'signature',
        `no kid, and another key than the only one for ${alg}`,
        ({ keys }) => ({
          header: { alg, kid: undefined },
          key: keys.ed448.privateKey,
          signedBy: 'EdDSA',
        }),
        good,
      ),
      spoiled(
        'signature',
        `no kid, and a signature by ${alg} changed by a bit`,
        changed(2, flipBit(-1)),
        good,
      ),
      row(
        'critical-header',
        `no kid, crit and ${alg}`,
        (forge) => {
          const { header, ...others } = good(forge);
          return { ...others, header: { ...(header as object), crit: ['exp'] } };
        },
        good,
      ),
    ];
  }),
];

const wrongKey: ForgedToken[] = [
  row(
    'key-algorithm',
    'a key for RS256, used for PS256',
    keyOf('rsa-rs256', 'PS256', 'rsa'),
    keyOf('rsa-rs256', 'RS256', 'rsa'),
  ),
  row(
    'key-algorithm',
    'a key for RS256, used for RS512',
    keyOf('rsa-rs256', 'RS512', 'rsa'),
    keyOf('rsa-rs256', 'RS256', 'rsa'),
  ),
  row(
    'key-algorithm',
    'a key for PS256, used for RS256',
    keyOf('rsa-ps256', 'RS256', 'rsa'),
    keyOf('rsa-ps256', 'PS256', 'rsa'),
  ),
  row(
    'key-algorithm',
    'a key on P-384, used for ES256',
    keyOf('p384', 'ES256', 'p384'),
    keyOf('p384', 'ES384', 'p384'),
  ),
  row(
    'key-algorithm',
    'a key on P-256, used for ES384',
    keyOf('p256', 'ES384', 'p256'),
    keyOf('p256', 'ES256', 'p256'),
  ),
  row(
    'key-algorithm',
    'a key on P-521, used for ES256',
    keyOf('p521', 'ES256', 'p521'),
    keyOf('p521', 'ES512', 'p521'),
  ),
  row(
    'key-algorithm',
    'an RSA key, named for ES256',
    ({ keys }) => ({ header: { alg: 'ES256', kid: 'rsa' }, key: keys.p256.privateKey }),
    keyOf('rsa', 'PS256', 'rsa'),
  ),
  row(
    'key-algorithm',
    'an elliptic key, named for RS256',
    ({ keys }) => ({ header: { alg: 'RS256', kid: 'p256' }, key: keys.rsa.privateKey }),
    keyOf('p256', 'ES256', 'p256'),
  ),
  row(
    'unknown-key',
    'a key on P-384 that is published for ES256',
    keyOf('p384-es256', 'ES256', 'p384'),
    keyOf('p384', 'ES384', 'p384'),
  ),
  row('unknown-key', 'a key on secp256k1', keyOf('k256', 'ES256', 'k256'), keyOf('p256', 'ES256', 'p256')),
  row(
    'unknown-key',
    'a key for encryption (use)',
    keyOf('rsa-encryption', 'RS256', 'rsa'),
    keyOf('rsa', 'RS256', 'rsa'),
  ),
  row(
    'unknown-key',
    'a key for encryption (alg)',
    keyOf('rsa-oaep', 'RS256', 'rsa'),
    keyOf('rsa', 'RS256', 'rsa'),
  ),
  row(
    'unknown-key',
    'a key for encryption (key_ops)',
    keyOf('rsa-encrypts', 'RS256', 'rsa'),
    keyOf('rsa-verifies', 'RS256', 'rsa'),
  ),
  row(
    'unknown-key',
    'a key for agreement',
    keyOf('p256-agreement', 'ES256', 'p256'),
    keyOf('p256', 'ES256', 'p256'),
  ),
  row(
    'unknown-key',
    'an RSA key of 1024 bits',
    keyOf('rsa-weak', 'RS256', 'weak'),
    keyOf('rsa', 'RS256', 'rsa'),
  ),
  ...['nobody', 'TEST-1', 'test-1 ', '', '__proto__', 'constructor', '../jwks', "' or 1=1 --"].map((kid) =>
    row('unknown-key', `kid "${kid}"`, () => ({ header: { kid } })),
  ),
  ...[undefined, null, 1, true, ['test-1'], { kid: 'test-1' }].map((kid) =>
    row('unknown-key', `kid ${JSON.stringify(kid)}`, () => ({ header: { kid } })),
  ),
];

/** Keys that a token brings or points to; the twin does so too, and is signed by the issuer's own key. */
const ownKey: ForgedToken[] = (
  [
    ['jku', ({ attacker }) => `${attacker}/jwks`],
    ['x5u', ({ attacker }) => `${attacker}/certificate`],
    ['jwk', ({ keys }) => keys.stranger.publicKey.export({ format: 'jwk' })],
    [
      'x5c',
      ({ keys }) => [keys.stranger.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')],
    ],
  ] as [string, (forge: Forge) => unknown][]
).flatMap(([name, value]) => [
  row(
    'signature',
    `the signer's own key by ${name}`,
    (forge) => ({ header: { [name]: value(forge) }, key: forge.keys.stranger.privateKey }),
    (forge) => ({ header: { [name]: value(forge) } }),
  ),
  row(
    'unknown-key',
    `the signer's own key by ${name}, under its own id`,
    (forge) => ({ header: { [name]: value(forge), kid: 'stranger' }, key: forge.keys.stranger.privateKey }),
    (forge) => ({ header: { [name]: value(forge) } }),
  ),
]);

const header: ForgedToken[] = [
  ...[['b64'], ['exp'], ['unheard-of'], [], null, 'exp', {}].map((crit) =>
    row(
      'critical-header',
      `crit ${JSON.stringify(crit)}`,
      () => ({ header: { crit, b64: true, exp: 1 } }),
      () => ({ header: { b64: true, exp: 1 } }),
    ),
  ),
  ...[
    'id_token',
    'id+jwt',
    'logout+jwt',
    'dpop+jwt',
    'secevent+jwt',
    'rt+jwt',
    'JWS',
    'JOSE',
    '',
    'at+jwt ',
    'application/jwt+at',
    5,
    null,
    ['at+jwt'],
  ].map((typ) => row('type', `typ ${JSON.stringify(typ)}`, () => ({ header: { typ } }))),
];

const now = () => Math.floor(Date.now() / 1000);

/** A row whose claims depend on the time at which the tokens are made. */
const timed = (reason: string, name: string, wrong: () => object, right: () => object = () => ({})) =>
  row(
    reason,
    name,
    () => ({ claims: { ...wrong() } }),
    () => ({ claims: { ...right() } }),
  );

const times: ForgedToken[] = [
  timed(
    'expired',
    'expired for 61 seconds',
    () => ({ exp: now() - 61 }),
    () => ({ exp: now() - 60 }),
  ),
  timed(
    'expired',
    'expired for 60.5 seconds',
    () => ({ exp: now() - 60.5 }),
    () => ({ exp: now() - 59.5 }),
  ),
  timed('expired', 'expired long ago', () => ({ exp: 1 })),
  timed('expired', 'exp 0', () => ({ exp: 0 })),
  timed('expired', 'exp below 0', () => ({ exp: -1 })),
  timed(
    'not-yet-valid',
    'valid in 61 seconds',
    () => ({ nbf: now() + 61 }),
    () => ({ nbf: now() + 60 }),
  ),
  timed(
    'not-yet-valid',
    'nbf as a text',
    () => ({ nbf: `${now()}` }),
    () => ({ nbf: now() }),
  ),
  timed(
    'not-yet-valid',
    'nbf null',
    () => ({ nbf: null }),
    () => ({ nbf: now() }),
  ),
  timed('no-expiry', 'no exp', () => ({ exp: undefined })),
  timed(
    'no-expiry',
    'exp as a text',
    () => ({ exp: `${now() + 300}` }),
    () => ({ exp: now() + 300 }),
  ),
  timed('no-expiry', 'exp null', () => ({ exp: null })),
  timed('no-expiry', 'exp true', () => ({ exp: true })),
  timed(
    'no-expiry',
    'exp in a list',
    () => ({ exp: [now() + 300] }),
    () => ({ exp: now() + 300 }),
  ),
  raw('no-expiry', 'exp beyond all numbers', '"exp":1e400', () => `"exp":${now() + 300}`),
  raw('no-expiry', 'exp beyond all numbers, below 0', '"exp":-1e400', () => `"exp":${now() + 300}`),
];

/** The claims of a good token but for the expiry. */
function claimsOf({ config }: Forge) {
  return {
    iss: config.issuer,
    aud: 'keyward',
    sub: 'alice',
    exp: now() + 300,
    scope: 'openid email profile',
  };
}

/** A row whose claims end in JSON as it is written: numbers that JavaScript does not write, a member twice. */
function raw(reason: string, name: string, wrong: string | (() => string), right: () => string): ForgedToken {
  const claims = (forge: Forge, members: string) =>
    `${JSON.stringify(claimsOf(forge)).slice(0, -1)},${members}}`;
  return row(
    reason,
    name,
    (forge) => ({ claims: claims(forge, typeof wrong === 'string' ? wrong : wrong()) }),
    (forge) => ({ claims: claims(forge, right()) }),
  );
}

// RFC 7519, section 4: of a name that stands twice the last counts, for every reader of the token alike.
const twice: ForgedToken[] = [
  raw(
    'expired',
    'exp twice',
    () => `"exp":${now() + 300},"exp":1`,
    () => `"exp":1,"exp":${now() + 300}`,
  ),
  raw('audience', 'aud twice', '"aud":"keyward","aud":"other"', () => '"aud":"other","aud":"keyward"'),
  raw('subject', 'sub twice', '"sub":"alice","sub":""', () => '"sub":"","sub":"alice"'),
  {
    ...row('algorithm', 'alg twice', () => ({
      header: '{"alg":"RS256","kid":"test-1","alg":"HS256"}',
    })),
    twin: (forge) => forge.forge({ header: '{"alg":"HS256","kid":"test-1","alg":"RS256"}' }),
  },
];

const issuerRow = (name: string, iss: (issuer: string) => unknown): ForgedToken =>
  row(
    'issuer',
    name,
    ({ config }) => ({ claims: { iss: iss(config.issuer) } }),
    ({ config }) => ({
      claims: { iss: config.issuer },
    }),
  );

const issuers: ForgedToken[] = [
  issuerRow('an issuer with a slash at its end', (issuer) => `${issuer}/`),
  issuerRow('an issuer in capitals', (issuer) => issuer.replace('http', 'HTTP')),
  issuerRow('an issuer with a space', (issuer) => `${issuer} `),
  issuerRow('an issuer by its other name', (issuer) => issuer.replace('127.0.0.1', 'localhost')),
  issuerRow('an issuer below ours', (issuer) => `${issuer}/realms/other`),
  issuerRow('another issuer', () => 'https://id.example.com'),
  issuerRow('an issuer in a list', (issuer) => [issuer]),
  issuerRow('no issuer', () => undefined),
  issuerRow('issuer null', () => null),
];

const subjects: ForgedToken[] = [
  claim('subject', 'sub', undefined),
  claim('subject', 'sub', ''),
  claim('subject', 'sub', null),
  claim('subject', 'sub', 7, '7'),
  claim('subject', 'sub', ['alice'], 'alice'),
  claim('subject', 'sub', 's'.repeat(256), 's'.repeat(255)),
  claim('subject', 'sub', 'ali\0ce', 'alice'),
  claim('subject', 'sub', 'alice\uD800', 'alice\u{1F600}'),
  claim('subject', 'sub', '\uDC00alice', '\u{1F600}alice'),
];

const audiences: ForgedToken[] = [
  claim('audience', 'aud', 'other', 'keyward'),
  claim('audience', 'aud', 'Keyward', 'keyward'),
  claim('audience', 'aud', 'keyward ', 'keyward'),
  claim('audience', 'aud', '', 'keyward'),
  claim('audience', 'aud', null, 'keyward'),
  claim('audience', 'aud', [], ['keyward']),
  claim('audience', 'aud', ['other', 'account'], ['other', 'keyward']),
  claim('audience', 'aud', [['keyward']], ['keyward']),
  claim('audience', 'aud', { keyward: true }, 'keyward'),
  claim('audience', 'aud', 'other keyward', ['other', 'keyward']),
  claim('audience', 'aud', undefined, 'keyward'),
  row(
    'audience',
    'aud another, client_id ours',
    () => ({ claims: { aud: 'other', client_id: 'our-client' } }),
    () => ({ claims: { aud: undefined, client_id: 'our-client' } }),
  ),
  row(
    'audience',
    'aud our client',
    () => ({ claims: { aud: 'our-client' } }),
    () => ({ claims: { aud: 'keyward' } }),
  ),
  ...['other', 'our-client ', 'keyward', ['our-client'], null].map((client_id) =>
    row(
      'audience',
      `no aud, client_id ${JSON.stringify(client_id)}`,
      () => ({ claims: { aud: undefined, client_id } }),
      () => ({ claims: { aud: undefined, client_id: 'our-client' } }),
    ),
  ),
];

const idTokens: ForgedToken[] = [
  claim('id-token', 'token_use', 'id', 'access'),
  claim('id-token', 'token_use', 'refresh', 'access'),
  claim('id-token', 'token_use', null, 'access'),
  claim('id-token', 'nonce', 'n-0S6_WzA2Mj'),
  claim('id-token', 'nonce', ''),
  claim('id-token', 'at_hash', 'MTIzNDU2Nzg5MDEyMzQ1Ng'),
  claim('id-token', 'c_hash', 'MTIzNDU2Nzg5MDEyMzQ1Ng'),
  claim('id-token', 'typ', 'ID', 'Bearer'),
  claim('id-token', 'typ', 'Refresh', 'Bearer'),
  claim('id-token', 'typ', 'Offline', 'Bearer'),
  claim('id-token', 'typ', 'Logout', 'Bearer'),
];

/** A token of exactly so many characters; its length is made up by what nobody reads. */
const ofLength =
  (length: number): Make =>
  (forge) => {
    const signature = encode(Buffer.alloc(256)).length;
    for (const note of ['', 'x', 'xx', 'xxx']) {
      const head = encode({ alg: 'RS256', kid: 'test-1', typ: 'at+jwt', note }).length;
      const empty = { ...claimsOf(forge), padding: '' };
      const room = Math.floor(((length - signature - head - 2) * 3) / 4);
      const padding = 'x'.repeat(room - JSON.stringify(empty).length);
      const claims = JSON.stringify({ ...empty, padding });
      if (head + encode(claims).length + signature + 2 === length) return { header: { note }, claims };
    }
    throw new Error(`no token has ${length} characters`);
  };

const lengths: ForgedToken[] = [
  row('too-long', 'a token of 8193 characters', ofLength(8193), ofLength(8192)),
];

/** Every forged token. */
export const forgedTokens: readonly ForgedToken[] = [
  ...malformed,
  ...badSignature,
  ...none,
  ...symmetric,
  ...otherAlgorithms,
  ...byEdwards,
  ...withoutKid,
  ...wrongKey,
  ...ownKey,
  ...header,
  ...times,
  ...twice,
  ...issuers,
  ...subjects,
  ...audiences,
  ...idTokens,
  ...lengths,
];
