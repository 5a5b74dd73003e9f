import { constants, createHash, type KeyObject, privateEncrypt, sign } from 'node:crypto';
import { encode, signBytes } from './token-forge.ts';

/** What a signature is made for. */
export interface Signed {
  readonly algorithm: string;
  /** The key whose public half is published. */
  readonly key: KeyObject;
  /** Another key of the same kind. */
  readonly otherKey: KeyObject;
  /** The first two parts of the token. */
  readonly input: string;
}

/** A signature as it stands in the token: bytes, or a text where the spelling is what is wrong. */
type Signature = Buffer | string;

const isEdwards = (algorithm: string) => algorithm.startsWith('Ed');

const hashOf = (algorithm: string) => (isEdwards(algorithm) ? 'sha512' : `sha${algorithm.slice(-3)}`);

const otherHash: Readonly<Record<string, string>> = { '256': '384', '384': '512', '512': '256' };

const withOtherHash = (algorithm: string) => algorithm.slice(0, 2) + otherHash[algorithm.slice(-3)];

/** A number as an elliptic signature holds it. */
const bytesOf = (value: bigint, length: number) =>
  Buffer.from(value.toString(16).padStart(length * 2, '0'), 'hex');

const numberOf = (bytes: Buffer) => BigInt(`0x${bytes.toString('hex')}`);

const zeros = (length: number) => Buffer.alloc(length);

/** Wrong in any algorithm. */
function anyInvalid({ algorithm, key, otherKey, input }: Signed): [string, Signature][] {
  const good = signBytes(algorithm, key, input);
  const text = encode(good);
  const [header = '', claims = ''] = input.split('.');
  return [
    ['empty', ''],
    ['one zero', zeros(1)],
    ['all zeros', zeros(good.length)],
    ['all ones', Buffer.alloc(good.length, 0xff)],
    ['a byte more at the end', Buffer.concat([good, zeros(1)])],
    ['a byte more at the start', Buffer.concat([zeros(1), good])],
    ['the last byte missing', good.subarray(0, -1)],
    ['the first byte missing', good.subarray(1)],
    ['half of it', good.subarray(0, good.length / 2)],
    ['twice', Buffer.concat([good, good])],
    ['backwards', Buffer.from(good.toReversed())],
    ...[0, 1, good.length / 2, good.length - 1].map((at): [string, Signature] => [
      `a bit of byte ${at} flipped`,
      Buffer.from(good.map((byte, index) => (index === at ? byte ^ 0x80 : byte))),
    ]),
    ['another key', signBytes(algorithm, otherKey, input)],
    ['over the header alone', signBytes(algorithm, key, header)],
    ['over the claims alone', signBytes(algorithm, key, claims)],
    ['over the parts without their dot', signBytes(algorithm, key, header + claims)],
    ['over the parts in the other order', signBytes(algorithm, key, `${claims}.${header}`)],
    [
      'over the bytes that the parts spell',
      signBytes(algorithm, key, `${Buffer.from(header, 'base64url')}.${Buffer.from(claims, 'base64url')}`),
    ],
    ['over nothing', signBytes(algorithm, key, '')],
    ['over a line break more', signBytes(algorithm, key, `${input}\n`)],
    ['the hash itself', createHash(hashOf(algorithm)).update(input).digest()],
    ['padding', `${text}${'='.repeat(3 - ((good.length + 2) % 3))}`],
    ['too much padding', `${text}====`],
    ['a plus inside', `${text.slice(0, 9)}+${text.slice(10)}`],
    ['a slash inside', `${text.slice(0, 9)}/${text.slice(10)}`],
    ['a space inside', `${text.slice(0, 9)} ${text.slice(9)}`],
    ['a tab inside', `${text.slice(0, 9)}\t${text.slice(9)}`],
    ['a letter of no alphabet inside', `${text.slice(0, 9)}$${text.slice(9)}`],
    ['percent-encoding inside', `${text.slice(0, 9)}%41${text.slice(9)}`],
    ['a letter more', `${text}A`],
    ['hexadecimal', good.toString('hex')],
    ['encoded twice', encode(text)],
  ];
}

/** The number of points of each curve (FIPS 186-5). */
const orders: Readonly<Record<string, bigint>> = {
  ES256: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  ES384: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  ES512:
    0x01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
};

function ellipticInvalid({ algorithm, key, input }: Signed): [string, Signature][] {
  const good = signBytes(algorithm, key, input);
  const half = good.length / 2;
  const r = good.subarray(0, half);
  const s = good.subarray(half);
  const order = orders[algorithm] ?? 0n;
  const pair = (first: bigint | Buffer, second: bigint | Buffer) =>
    Buffer.concat([first, second].map((one) => (typeof one === 'bigint' ? bytesOf(one, half) : one)));
  const special: [string, bigint][] = [
    ['0', 0n],
    ['1', 1n],
    ['n', order],
    ['n - 1', order - 1n],
    ['n + 1', order + 1n],
  ];
  return [
    ...special.flatMap(([name, value]): [string, Signature][] => [
      [`r = ${name}`, pair(value, s)],
      [`s = ${name}`, pair(r, value)],
      [`r = s = ${name}`, pair(value, value)],
    ]),
    ['r = n, s = 0', pair(order, 0n)],
    ['r = 0, s = 1', pair(0n, 1n)],
    ['r and s swapped', pair(s, r)],
    ['r twice', pair(r, r)],
    ['r negated', pair(order - numberOf(r), s)],
    ['r and s, each with a zero before', Buffer.concat([zeros(1), r, zeros(1), s])],
    [
      'DER in place of the two numbers',
      sign(hashOf(algorithm), Buffer.from(input), { key, dsaEncoding: 'der' }),
    ],
    ['r alone', Buffer.from(r)],
    ['zeros as DER', Buffer.from('3006020100020100', 'hex')],
  ];
}

/** The order of Ed25519's base point (RFC 8032, section 5.1), and a number as its signatures hold it. */
const edwardsOrder = 2n ** 252n + 27742317777372353535851937790883648493n;
const littleEndian = (value: bigint) => Buffer.from(bytesOf(value, 32).toReversed());

function edwardsInvalid({ algorithm, key, input }: Signed): [string, Signature][] {
  const good = signBytes(algorithm, key, input);
  const [r, s] = [good.subarray(0, 32), good.subarray(32)];
  const scalar = numberOf(Buffer.from(s.toReversed()));
  const identity = littleEndian(1n);
  return [
    // What a verifier takes that does not bound s: another signature of the same bytes.
    ['s + n', Buffer.concat([r, littleEndian(scalar + edwardsOrder)])],
    ['s negated', Buffer.concat([r, littleEndian(edwardsOrder - scalar)])],
    ['s = 0', Buffer.concat([r, zeros(32)])],
    ['s = n', Buffer.concat([r, littleEndian(edwardsOrder)])],
    ['r the neutral point', Buffer.concat([identity, s])],
    ['r the neutral point, s = 0', Buffer.concat([identity, zeros(32)])],
    ['r = 0', Buffer.concat([zeros(32), s])],
    ['r no point', Buffer.concat([Buffer.alloc(32, 0xff), s])],
    ['r and s swapped', Buffer.concat([s, r])],
    ['r alone', Buffer.from(r)],
    ['over the hash', signBytes(algorithm, key, createHash('sha512').update(input).digest('binary'))],
  ];
}

const otherHashInvalid = ({ algorithm, key, input }: Signed): [string, Signature][] => [
  ['another hash', signBytes(withOtherHash(algorithm), key, input)],
];

function rsaInvalid({ algorithm, key, input }: Signed): [string, Signature][] {
  const good = signBytes(algorithm, key, input);
  const modulus = numberOf(Buffer.from(`${key.export({ format: 'jwk' }).n}`, 'base64url'));
  const other = algorithm.replace(/^../, algorithm.startsWith('RS') ? 'PS' : 'RS');
  const digest = createHash(hashOf(algorithm)).update(input).digest();
  return [
    ['s = 1', bytesOf(1n, good.length)],
    ['s = n - 1', bytesOf(modulus - 1n, good.length)],
    ['s = n', bytesOf(modulus, good.length)],
    [
      's + n',
      Buffer.from((numberOf(good) + modulus).toString(16).padStart((good.length + 1) * 2, '0'), 'hex'),
    ],
    ['s negated', bytesOf(modulus - numberOf(good), good.length)],
    ['the other padding', signBytes(other, key, input)],
    ['the other padding and another hash', signBytes(withOtherHash(other), key, input)],
    ['the hash without its name', privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, digest)],
    [
      'the hash without padding',
      privateEncrypt(
        { key, padding: constants.RSA_NO_PADDING },
        Buffer.concat([zeros(good.length - digest.length), digest]),
      ),
    ],
  ];
}

function saltInvalid({ algorithm, key, input }: Signed): [string, Signature][] {
  const hash = hashOf(algorithm);
  const length = Number(algorithm.slice(-3)) / 8;
  return [0, 1, length - 1, length + 1, constants.RSA_PSS_SALTLEN_MAX_SIGN].map((saltLength) => [
    `a salt of length ${saltLength}`,
    sign(hash, Buffer.from(input), { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }),
  ]);
}

/** A good RSA-PSS signature that begins with a zero, and the same without it: one in 256 does, and each is another. */
export function shortenedSignature({
  algorithm,
  key,
  input,
}: Omit<Signed, 'otherKey'>): [full: string, short: string] {
  for (;;) {
    const signature = signBytes(algorithm, key, input);
    if (signature[0] === 0) return [encode(signature), encode(signature.subarray(1))];
  }
}

/**
 * Signatures that are not valid for an input, by what is wrong with them, each as it stands in a token: the kinds that
 * the public collections of test vectors know, made anew for the algorithm.
 */
export function invalidSignatures(signed: Signed): (readonly [name: string, signature: string])[] {
  const { algorithm } = signed;
  const invalid = [
    ...anyInvalid(signed),
    ...(isEdwards(algorithm) ? edwardsInvalid(signed) : otherHashInvalid(signed)),
    ...(algorithm.startsWith('ES') ? ellipticInvalid(signed) : []),
    ...(/^[RP]S/.test(algorithm) ? rsaInvalid(signed) : []),
    ...(algorithm.startsWith('PS') ? saltInvalid(signed) : []),
  ];
  return invalid.map(([name, signature]) => [
    name,
    typeof signature === 'string' ? signature : encode(signature),
  ]);
}
