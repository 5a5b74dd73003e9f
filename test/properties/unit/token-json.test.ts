import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyJson } from '../../support/any-json.ts';
import { createTestGateway, type TestGateway } from '../../support/gateway.ts';
import { mostOfDocument } from '../../support/processor-time.ts';
import { encode, type Forge, startForge } from '../../support/token-forge.ts';

let forge: Forge;
let gateway: TestGateway;

beforeAll(async () => {
  forge = await startForge();
  gateway = await createTestGateway(forge);
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await forge[Symbol.asyncDispose]();
});

const isText = (value: unknown) => typeof value === 'string';
const isTextOrTexts = (value: unknown) => isText(value) || (Array.isArray(value) && value.every(isText));
const isNumber = (value: unknown) => Number.isFinite(value);
const never = () => false;
const now = () => Date.now() / 1000;

/** Whether a value may stand under a name. */
type Checks = ReadonlyMap<string, (value: unknown) => boolean>;

/** Checks, and names that nobody reads, under which anything may stand. */
const withUnread = (
  checks: Readonly<Record<string, (value: unknown) => boolean>>,
  ...names: string[]
): Checks =>
  new Map([
    ...Object.entries(checks),
    ...[...names, 'then', 'toString', 'constructor', '__proto__'].map((name) => [name, () => true] as const),
  ]);

/** What each claim may be: with anything else the token is refused. */
const claims = withUnread(
  {
    iss: never,
    sub: (value) =>
      typeof value === 'string' &&
      /^[^\0]{1,255}$/s.test(value) &&
      value.length < 256 &&
      value.isWellFormed(),
    aud: (value) => [value].flat().includes('keyward'),
    exp: (value) => isNumber(value) && (value as number) > now(),
    nbf: (value) => isNumber(value) && (value as number) < now(),
    iat: isNumber,
    jti: isText,
    client_id: isText,
    scope: isTextOrTexts,
    scp: isTextOrTexts,
    token_use: (value) => value === 'access',
    typ: (value) => value === 'Bearer',
    nonce: never,
    at_hash: never,
    c_hash: never,
  },
  'azp',
  'realm_access',
  'jwt',
);

/** The same of the header's members. */
const members = withUnread(
  {
    alg: (value) => value === 'RS256',
    kid: (value) => value === 'test-1',
    typ: (value) => isText(value) && /^(application\/)?at\+jwt$|^jwt$/i.test(value as string),
    crit: never,
  },
  'jku',
  'x5u',
  'jwk',
  'x5c',
  'cty',
  'b64',
  'zip',
  'enc',
);

type Drawn = readonly (readonly [name: string, json: string])[];

/** JSON text of the good members and those that were drawn, each name once. */
const textOf = (good: object, drawn: Drawn) => {
  const texts = new Map(Object.entries(good).map(([name, value]) => [name, JSON.stringify(value)]));
  for (const [name, json] of drawn) texts.set(name, json);
  return `{${[...texts].map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
};

const isGood = (checks: Checks, drawn: Drawn) =>
  drawn.every(([name, json]) => checks.get(name)?.(JSON.parse(json)));

const draw = (checks: Checks, most: number): fc.Arbitrary<Drawn> =>
  fc.uniqueArray(fc.tuple(fc.constantFrom(...checks.keys()), anyJson), {
    maxLength: most,
    selector: ([name]) => name,
  });

/** A token with what was drawn in place of what is good, signed by the issuer; its scopes are not ours where drawn. */
const tokenOf = (header: Drawn, body: Drawn) => {
  const good = { iss: forge.config.issuer, aud: 'keyward', sub: 'alice', exp: Math.floor(now()) + 300 };
  return forge.forge({
    header: textOf({ alg: 'RS256', kid: 'test-1', typ: 'at+jwt' }, header),
    claims: textOf({ ...good, scope: 'openid email profile' }, body),
  });
};

const expectedOf = (token: string, header: Drawn, body: Drawn): number => {
  if (token.length > 8192 || !isGood(members, header) || !isGood(claims, body)) return 401;
  return body.some(([name]) => name === 'scope') ? 403 : 200;
};

/** The same token with a signature that is none. */
const unsigned = (token: string) => `${token.slice(0, token.lastIndexOf('.'))}.${encode(Buffer.alloc(256))}`;

/** The status with which a token is answered on each transport, and the processor time of both in milliseconds. */
const ask = async (token: string) => {
  const before = process.threadCpuUsage();
  const answers = [
    await gateway.rest('GET', '/auth/private-key', { token }),
    await gateway.graphql('{ privateKeyStatus { hasKey } }', { token }),
  ];
  const { user, system } = process.threadCpuUsage(before);
  return { statuses: answers.map(({ status }) => status), milliseconds: (user + system) / 1000 };
};

describe('any JSON in a claim or in a member of the header', () => {
  it('→ 401 unless it is allowed there, signed or not, on both transports', {
    timeout: 120_000,
  }, async () => {
    const seen = new Map<number, number>();
    let most = 0;
    const property = fc.asyncProperty(draw(members, 2), draw(claims, 2), async (header, body) => {
      const token = tokenOf(header, body);
      const expected = expectedOf(token, header, body);
      const signed = await ask(token);
      expect(signed.statuses).toEqual([expected, expected]);
      expect((await ask(unsigned(token))).statuses).toEqual([401, 401]);
      most = Math.max(most, signed.milliseconds);
      seen.set(expected, (seen.get(expected) ?? 0) + 1);
    });
    const examples: [Drawn, Drawn][] = [
      [[], [['iss', '{"toString":1}']]],
      [[], [['scope', '"other"']]],
      [[], [['nbf', '-1e400']]],
      [[], []],
    ];
    // The first request of all compiles what it runs.
    await ask(tokenOf([], []));
    await fc.assert(property, { numRuns: 1000, examples });
    process.stdout.write(
      `tokens of any JSON: ${JSON.stringify([...seen])}, ${most.toFixed(1)} ms of processor time at most\n`,
    );
    expect([...seen.keys()].toSorted()).toEqual([200, 401, 403]);
    // A fiftieth of it is usual.
    expect(most).toBeLessThan(3 * (await mostOfDocument()));
  });

  const names = [
    ...[...members.keys()].map((name) => ['header', name] as const),
    ...[...claims.keys()].map((name) => ['claims', name] as const),
  ];
  const nasty = [
    '{"toString":1}',
    '{"valueOf":null,"toString":null}',
    '{"then":1}',
    '{"__proto__":null}',
    '{"toJSON":{}}',
    `${'['.repeat(2000)}${']'.repeat(2000)}`,
    `[${'{},'.repeat(1000)}{}]`,
  ];

  it.each(names)('%s, %s: never 500', async (part, name) => {
    for (const json of nasty) {
      const drawn: Drawn = [[name, json]];
      const [header, body] = part === 'header' ? [drawn, []] : [[], drawn];
      const token = tokenOf(header, body);
      const expected = expectedOf(token, header, body);
      expect((await ask(token)).statuses, json.slice(0, 40)).toEqual([expected, expected]);
      expect((await ask(unsigned(token))).statuses, json.slice(0, 40)).toEqual([401, 401]);
    }
  });
});
