import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { signedIn } from '../../src/auth/scopes.ts';
import { type Answer, createTestGateway, type TestGateway } from '../support/gateway.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';

/** One call, spelled for both sides. */
interface Step {
  readonly operation: keyof typeof queries;
  /** Members of the input: GraphQL's name → JSON text. */
  readonly input: Readonly<Record<string, string>>;
  /** Where a member of the input stands in REST's path: that text. */
  readonly pathText?: string;
  /** A path is text, variables are JSON: of a word in the place of a number the two cannot say the same words. */
  readonly comparesWords: boolean;
}

/** What came of a call, in GraphQL's names, whichever side answered. */
interface Outcome {
  readonly code: string;
  readonly challenge: string | null;
  readonly data?: unknown;
  readonly message?: string;
  readonly issues?: readonly { path: string[]; message: string; type: string }[];
}

const queries = {
  deactivateApiKey: `mutation ($keyId: Int!) { deactivateApiKey(keyId: $keyId) {
    id keyPrefix name createdAt isActive isDefault encryptedKey encryptionVersion
    expiresAt deactivatedAt lastUsedAt } }`,
  privateKeyStatus: '{ privateKeyStatus { hasKey createdAt updatedAt } }',
  updateAutomationSettings: `mutation ($isEnabled: Boolean, $sessionDuration: Int) {
    updateAutomationSettings(isEnabled: $isEnabled, sessionDuration: $sessionDuration) {
      isEnabled sessionDuration userId createdAt updatedAt } }`,
};

const codes: Record<number, string> = {
  200: 'OK',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  422: 'BAD_USER_INPUT',
};

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const jsonObject = (members: Readonly<Record<string, string>>) =>
  `{${Object.entries(members)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(',')}}`;

const json = { 'content-type': 'application/json' };

const callGraphql = (gateway: TestGateway, { operation, input }: Step, token: string | undefined) => {
  const query = JSON.stringify(queries[operation]);
  const body = jsonObject({ query, variables: jsonObject(input) });
  const headers = { ...json, accept: 'application/graphql-response+json' };
  return gateway.fetch('POST', '/graphql', { body, headers, ...(token && { token }) });
};

const callRest = (gateway: TestGateway, step: Step, token: string | undefined) => {
  const call = { ...(token && { token }) };
  if (step.operation === 'deactivateApiKey')
    return gateway.rest('DELETE', `/auth/keys/${encodeURIComponent(step.pathText ?? '')}`, call);
  if (step.operation === 'privateKeyStatus') return gateway.rest('GET', '/auth/private-key', call);
  const members = Object.entries(step.input).map(([name, text]) => [snake(name), text]);
  const body = jsonObject(Object.fromEntries(members));
  return gateway.rest('PUT', '/automation/settings', { ...call, body, headers: json });
};

const graphqlOutcome = ({ body, headers }: Answer, { operation }: Step): Outcome => {
  const challenge = headers.get('www-authenticate');
  if (!body.errors) return { code: 'OK', challenge, data: body.data[operation] };
  const [{ message, extensions }] = body.errors;
  const { code, issues } = extensions;
  return { code, challenge, ...(issues ? { issues } : { message }) };
};

const restOutcome = ({ status, body, headers }: Answer, { pathText }: Step): Outcome => {
  const code = codes[status] ?? `status ${status}`;
  const challenge = headers.get('www-authenticate');
  if (status === 200) {
    const members = Object.entries(body).map(([name, value]) => [camel(name), value]);
    return { code, challenge, data: Object.fromEntries(members) };
  }
  if (typeof body.detail === 'string') return { code, challenge, message: body.detail };
  const issues = body.detail.map(({ loc, msg, type }: { loc: string[]; msg: string; type: string }) => {
    expect(loc[0]).toBe(pathText === undefined ? 'body' : 'path');
    return { path: loc.slice(1).map(camel), message: msg, type };
  });
  return { code, challenge, issues };
};

const withoutWords = ({ code, challenge, issues }: Outcome) => ({
  code,
  challenge,
  places: issues?.map(({ path }) => path),
});

const tables = ['account', 'api_key', 'private_key', 'automation_settings'];
const startOfTime = Date.parse('2026-03-01T12:00:00.000Z');

/** Empties a database and puts into it what each run begins with: keys 1 and 2 are alice's, 3 is bob's. */
const reset = async (gateway: TestGateway) => {
  expect(await gateway.reset()).toBe(true);
  const alice = await gateway.createAccount('alice');
  const bob = await gateway.createAccount('bob');
  await gateway.createApiKey(alice, { isDefault: true });
  await gateway.createApiKey(alice, { name: null, encryptedKey: 'a..b.c.d', encryptionVersion: 3 });
  await gateway.createApiKey(bob);
  await gateway.createPrivateKey(alice);
};

const rowsOf = async (gateway: TestGateway) => Promise.all(tables.map((table) => gateway.rows(table)));

const edges = [
  ...['-2147483649', '-2147483648', '-1', '0', '59', '60', '86400', '86401', '2147483647', '2147483648'],
  ...['99999999999999999999', '1e400', '-1e400', '3600.0', '3600.5', '36e2', '-0', 'null'],
  ...['true', 'false', '1', '"3600"', '"yes"', '"true"', '""', '"\\u0000"', '[]', '[60]', '{}'],
];
const anyJson = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...edges) }, fc.json({ maxDepth: 2 }));
const duration = fc.oneof(fc.integer({ min: 60, max: 86_400 }).map(String), fc.constant('null'), anyJson);
const flag = fc.oneof(fc.constantFrom('true', 'false', 'null'), anyJson);

const integerText = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('1', '2', '3', '4') },
  fc.constantFrom('99', '0', '-1', '2147483647', '2147483648', '-2147483648', '-2147483649'),
  fc.integer().map(String),
  fc.bigInt({ min: -(10n ** 400n), max: 10n ** 400n }).map(String),
);
const word = fc
  .oneof(
    fc.constantFrom(
      'abc',
      '0x10',
      '1e3',
      '01',
      ' ',
      '-0',
      '1.5',
      '+1',
      '1\u0000',
      '١',
      'null',
      'true',
      'a/b',
    ),
    fc.string({ minLength: 1, unit: 'grapheme' }),
  )
  .filter((text) => !/^(-?[1-9]\d*|0|\.\.?)$/.test(text));

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: integerText.map((text): Step => keyStep(text, text, true)) },
  word.map((text) => keyStep(JSON.stringify(text), text, false)),
  {
    weight: 2,
    arbitrary: fc.constant<Step>({ operation: 'privateKeyStatus', input: {}, comparesWords: true }),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({ isEnabled: flag, sessionDuration: duration, userId: anyJson }, { requiredKeys: [] })
      .map((input): Step => ({ operation: 'updateAutomationSettings', input, comparesWords: true })),
  },
);

const keyStep = (keyId: string, pathText: string, comparesWords: boolean): Step => ({
  operation: 'deactivateApiKey',
  input: { keyId },
  pathText,
  comparesWords,
});

const caller = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('alice', 'bob', 'somebody new') },
  fc.constantFrom('alice without admin', 'alice with openid', 'nobody'),
);

describe('the same calls through GraphQL and through REST', () => {
  let issuer: TestIssuer;
  let graphql: TestGateway;
  let rest: TestGateway;
  const tokens = new Map<string, string>();

  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: startOfTime });
    issuer = await startIssuer();
    graphql = await createTestGateway(issuer);
    rest = await createTestGateway(issuer);
    for (const sub of ['alice', 'bob', 'somebody new']) tokens.set(sub, await issuer.sign({ sub }));
    tokens.set('alice without admin', await issuer.sign({ scope: signedIn.join(' ') }));
    tokens.set('alice with openid', await issuer.sign({ scope: 'openid' }));
  });
  afterAll(async () => {
    await graphql[Symbol.asyncDispose]();
    await rest[Symbol.asyncDispose]();
    await issuer[Symbol.asyncDispose]();
    vi.useRealTimers();
  });

  const run = async (call: Step, who: string): Promise<string> => {
    const token = tokens.get(who);
    const ofGraphql = graphqlOutcome(await callGraphql(graphql, call, token), call);
    const ofRest = restOutcome(await callRest(rest, call, token), call);
    if (call.comparesWords) expect(ofRest).toEqual(ofGraphql);
    else expect(withoutWords(ofRest)).toEqual(withoutWords(ofGraphql));
    return ofRest.code;
  };

  it('come to the same, and leave the same rows', async () => {
    const seen = new Set<string>();
    const property = fc.asyncProperty(
      fc.array(fc.tuple(step, caller), { minLength: 2, maxLength: 8 }),
      async (calls) => {
        vi.setSystemTime(startOfTime);
        await reset(graphql);
        await reset(rest);
        for (const [call, who] of calls) {
          // Each call has a second of its own, so that a date that should have stayed shows.
          vi.setSystemTime(Date.now() + 1000);
          const code = await run(call, who);
          seen.add(code).add(`${call.operation} ${code}`);
        }
        expect(await rowsOf(rest)).toEqual(await rowsOf(graphql));
      },
    );
    await fc.assert(property, { numRuns: inject('postgresUrl') === undefined ? 100 : 60 });
    // The inputs are random, yet each of these comes up some twenty times or more.
    expect([...seen]).toEqual(
      expect.arrayContaining([
        'OK',
        'NOT_FOUND',
        'BAD_USER_INPUT',
        'FORBIDDEN',
        'UNAUTHENTICATED',
        'deactivateApiKey OK',
        'deactivateApiKey BAD_USER_INPUT',
        'privateKeyStatus OK',
        'updateAutomationSettings OK',
        'updateAutomationSettings BAD_USER_INPUT',
      ]),
    );
  }, 30_000);

  it('start from equal databases, which the calls change', async () => {
    vi.setSystemTime(startOfTime);
    await reset(graphql);
    await reset(rest);
    const before = await rowsOf(rest);
    expect(before).toEqual(await rowsOf(graphql));
    await run(keyStep('1', '1', true), 'alice');
    const input = { isEnabled: 'true', sessionDuration: '60' };
    await run({ operation: 'updateAutomationSettings', input, comparesWords: true }, 'somebody new');
    const after = await rowsOf(rest);
    expect(after.map((rows) => rows.length)).toEqual([3, 3, 1, 1]);
    expect(after).toEqual(await rowsOf(graphql));
  });
});
