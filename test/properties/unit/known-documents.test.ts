import { randomUUID } from 'node:crypto';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { accountAdmin, keyVerifier, operator, signedIn } from '../../../src/auth/scopes.ts';
import { schema } from '../../../src/gateway/schema.ts';
import { createMetrics } from '../../../src/observability/metrics/create-metrics.ts';
import { createTracing } from '../../../src/observability/tracing/tracing.ts';
import { Draw, drawDocument } from '../../support/draw-document.ts';
import { type Call, createTestGateway, type TestGateway } from '../../support/gateway.ts';
import { startIssuer, type TestIssuer } from '../../support/issuer.ts';

const metrics = createMetrics({ dropped: 0 });
const exporter = new InMemorySpanExporter();
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
const telemetry = {
  metrics: metrics.requests,
  tracing: createTracing(provider.getTracer('test'), 'test'),
};
const rate = { requests: 1_000_000, seconds: 1_000_000 };
const rates = { address: rate, account: rate, verifier: rate };

/** The credentials of those who send, by what they may do. */
type Rights = Readonly<Record<string, Record<string, string>>>;

let issuer: TestIssuer;
let gateway: TestGateway;
let rights: Rights;
/** Another person, who may do everything. */
let bob: Record<string, string>;
/** The milliseconds that have passed beside those of the clock. */
let passed = 0;

beforeAll(async () => {
  issuer = await startIssuer();
  gateway = await createTestGateway(issuer, { telemetry, rates });
  const bearer = async (claims: Parameters<TestIssuer['sign']>[0]) => ({
    authorization: `Bearer ${await issuer.sign(claims)}`,
  });
  const everything = [...accountAdmin, ...operator, ...keyVerifier].join(' ');
  rights = {
    'no header': {},
    'another scheme': { authorization: 'Basic YTpi' },
    'an expired token': await bearer({ exp: 1_700_000_000 }),
    'no token': { authorization: 'Bearer nothing' },
    'no scope': await bearer({ scope: '' }),
    'few scopes': await bearer({ scope: signedIn.join(' ') }),
    'the usual scopes': await bearer({}),
    'an operator': await bearer({ scope: [...accountAdmin, ...operator].join(' ') }),
    'only an operator': await bearer({ scope: operator.join(' ') }),
    'a verifier': await bearer({ scope: [...accountAdmin, ...keyVerifier].join(' ') }),
  };
  bob = await bearer({ sub: 'bob', scope: everything });
  const alice = await gateway.createAccount('alice');
  await gateway.createApiKey(alice, { isDefault: true });
  await gateway.createApiKey(alice, { name: null });
  await gateway.createApiKey(await gateway.createAccount('bob'));
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});

/** A request for GraphQL, as it was drawn. */
interface Drawn {
  readonly query: string;
  readonly operationName?: string | undefined;
  readonly variables?: unknown;
  readonly changes?: boolean;
}

const times = <Item>(n: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: n }, (_, index) => make(index));

const fields = ['name', 'description', 'kind', 'specifiedByURL', 'fields { name type { kind name } }'];

/** Introspection of all lengths, and what comes close to it. */
const drawIntrospection = (draw: Draw): Drawn => {
  const alias = 'a'.repeat(1 + draw.below(150));
  const types = `{ ${times(1 + draw.below(4), () => draw.pick(fields)).join(' ')} }`;
  return draw.pick<Drawn>([
    { query: getIntrospectionQuery({ descriptions: draw.chance(50) }) },
    { query: '{ __typename }' },
    { query: `{ ${alias}: __typename }` },
    { query: `{ ${alias}: __schema { types ${types} } }` },
    {
      query: `{ ${times(1 + draw.below(10), (i) => `${alias}${i}: __schema { types ${types} }`).join(' ')} }`,
    },
    { query: 'query T($n: String!) { __type(name: $n) { fields { name } } }', variables: { n: 'ApiKey' } },
    { query: 'query T($n: String!) { __type(name: $n) { fields { name } } }', variables: { n: 1 } },
    { query: `{ __schema { types ${types} } __typename @skip(if: true) }` },
    { query: `{ __schema { ...S } } fragment S on __Schema { queryType ${types} }` },
    { query: `query A { __typename } query B { __schema { types ${types} } }`, operationName: 'B' },
    { query: `query A { __typename } query B { __schema { types ${types} } }`, operationName: 'C' },
    { query: `{ __schema { types ${types} } privateKeyStatus { hasKey } }` },
  ]);
};

/** What is refused for its document, wherever that is. */
const drawRefused = (draw: Draw): Drawn => ({
  query: draw.pick([
    '{ nothing }',
    '{ privateKeyStatus { hasKey }',
    `{ ${times(11, (i) => `a${i}: privateKeyStatus { hasKey }`).join(' ')} }`,
    `{ ${'a'.repeat(201)}: __typename }`,
    `{ ${times(1000, () => '__typename').join(' ')} }`,
    '{ apiKeys(first: 101) { edges { node { id } } } }',
    'mutation { deactivateApiKey(keyId: 2147483647) { id } }',
    'subscription { nothing }',
  ]),
});

const drawRequest = (draw: Draw): Drawn => {
  if (draw.chance(30)) return drawIntrospection(draw);
  if (draw.chance(15)) return drawRefused(draw);
  const { text, operations } = drawDocument(schema, draw);
  const operation = draw.pick(operations);
  return {
    query: text,
    operationName: draw.chance(95) ? operation.name : 'Nothing',
    variables: operation.variables(draw),
    changes: operation.changes,
  };
};

/** The same document in another text of the same length; what is known is found by the text. */
const inOtherText = (query: string): string => `${query}\n# ${randomUUID()}`;

/** The rest of each limit in an answer's header field, by the limit's name. */
const restsOf = (headers: Headers): Record<string, number> => {
  const found = (headers.get('ratelimit') ?? '').matchAll(/"([\w-]+)";r=(\d+)/g);
  return Object.fromEntries([...found].map(([, name, rest]) => [name, Number(rest)]));
};

/** How often each kind of request was measured. */
const measured = async (): Promise<Map<string, number>> => {
  const lines = (await metrics.registry.metrics()).matchAll(/^(keyward_\w+_count\{.*\}) (\d+)$/gm);
  return new Map([...lines].map(([, name = '', value]) => [name, Number(value)]));
};

const onlyOnce = ['x-request-id', 'ratelimit', 'content-length'];

/** A request, without the credentials of who sends it. */
interface Asked {
  readonly method: string;
  readonly target: string;
  readonly json?: unknown;
}

const toAsked = (method: string, { query, operationName, variables }: Drawn): Asked => {
  if (method === 'POST') return { method, target: '/graphql', json: { query, operationName, variables } };
  const texts = {
    query,
    ...(operationName !== undefined && { operationName }),
    ...(variables !== undefined && { variables: JSON.stringify(variables) }),
  };
  return { method, target: `/graphql?${new URLSearchParams(texts)}` };
};

/**
 * What a request tells of itself. If a field has failed, the account is known or not as chance has it: the answer does
 * not wait for the other fields.
 */
const toldBy = (told: object, hasFailed: boolean) =>
  Object.entries(told).filter(([name]) => !(hasFailed && ['accountId', 'keyward.account_id'].includes(name)));

/** What is left of each limit, and everything else that is to be the same whoever sent the document before. */
async function send({ method, target, json }: Asked, headers: Call['headers'] = {}) {
  // The rate of requests without a token is not what is compared.
  passed += 2000;
  exporter.reset();
  const before = await measured();
  const answer = await gateway.fetch(method, target, {
    headers,
    address: '192.0.2.1',
    ...(json !== undefined && { json }),
  });
  const after = await measured();
  const hasFailed = answer.text.includes('"errors"');
  return {
    hasFailed,
    rests: restsOf(answer.headers),
    id: answer.headers.get('x-request-id') ?? '',
    answer: {
      status: answer.status,
      body: answer.text,
      headers: [...answer.headers].filter(([name]) => !onlyOnce.includes(name)),
      spans: exporter
        .getFinishedSpans()
        // If a field fails, the answer does not wait for the statements of the others.
        .filter(({ attributes }) => attributes['db.system.name'] === undefined)
        .map(({ name, attributes }) => ({ name, attributes: toldBy(attributes, hasFailed) })),
      measured: [...after].filter(([name, value]) => before.get(name) !== value).map(([name]) => name),
    },
  };
}

type Sent = Awaited<ReturnType<typeof send>>;

/** What a request has used of each limit, from what was left after the one before. */
const usedBy = (earlier: Sent, later: Sent) =>
  Object.fromEntries(
    Object.entries(later.rests).map(([name, rest]) => [name, (earlier.rests[name] ?? Number.NaN) - rest]),
  );

const drawHeaders = (draw: Draw, who: string): Record<string, string> => ({
  ...rights[who],
  accept: draw.pick(['*/*', 'application/json', 'application/graphql-response+json', 'text/html']),
  ...(draw.chance(60) && { 'accept-encoding': draw.pick(['gzip', 'br', 'gzip;q=0']) }),
  ...(draw.chance(10) && { 'x-filler': 'x'.repeat(draw.below(4000)) }),
});

/**
 * Sends a request three times: when nobody has sent it, when others have, and when the same person has. All but the
 * values is the same.
 * @param ask makes the request: in a text that nobody has sent, or in the text that all of these have
 */
async function compare(draw: Draw, ask: (text: 'new' | 'same') => Asked, what: string) {
  const who = draw.pick(Object.keys(rights));
  const headers = drawHeaders(draw, who);
  const hasKey = draw.chance(30);
  const sendText = (text: 'new' | 'same') =>
    send(ask(text), { ...headers, ...(hasKey && { 'idempotency-key': randomUUID() }) });

  // What is changed is changed by the first. It also says what is left of the limits.
  const first = await sendText('new');
  const unknown = await sendText('new');
  const others = times(draw.below(3), () => draw.pick(Object.values(rights)));
  // With a long request, introspection is answered without a token too.
  for (const other of [bob, ...others]) await send(ask('same'), { ...other, 'x-filler': 'x'.repeat(9000) });
  // Some of the others were the same person.
  const between = await sendText('new');
  const byAnother = await sendText('same');
  const byItself = await sendText('same');
  const all = `${what}, ${who} ${JSON.stringify(headers)}`;
  expect([byAnother.answer, byItself.answer], all).toEqual([unknown.answer, unknown.answer]);
  const used = usedBy(first, unknown);
  expect([usedBy(between, byAnother), usedBy(byAnother, byItself)], all).toEqual([used, used]);
  return {
    what: all,
    hasFailed: unknown.hasFailed,
    sort: `${who}: ${unknown.answer.status}`,
    ids: [unknown.id, byAnother.id, byItself.id],
  };
}

function compareDocument(seed: number) {
  const draw = new Draw(seed);
  const drawn = drawRequest(draw);
  const method = draw.chance(85) ? 'POST' : 'GET';
  const same = inOtherText(drawn.query);
  const ask = (text: 'new' | 'same') =>
    toAsked(method, { ...drawn, query: text === 'new' ? inOtherText(drawn.query) : same });
  return compare(draw, ask, `seed ${seed}, ${method} ${JSON.stringify(drawn)}`);
}

const rest = (method: string, path: string, json?: unknown): Asked => ({
  method,
  target: `/api/v1${path}`,
  ...(json !== undefined && { json }),
});

/** Calls that answer the same when they are sent again. */
const calls = [
  rest('GET', '/auth/keys'),
  rest('GET', '/auth/keys/1'),
  rest('GET', '/auth/keys/3'),
  rest('GET', '/auth/keys/one'),
  rest('GET', '/auth/keys/default'),
  rest('GET', '/auth/private-key'),
  rest('GET', '/automation/settings'),
  rest('GET', '/accounts/1'),
  rest('PUT', '/automation/settings', { session_duration: 600 }),
  rest('PUT', '/automation/settings', { session_duration: 'long' }),
  rest('DELETE', '/auth/keys/1'),
  rest('DELETE', '/auth/keys/99'),
];

function compareCall(seed: number) {
  const draw = new Draw(seed);
  const call = draw.pick(calls);
  return compare(draw, () => call, `seed ${seed}, ${call.method} ${call.target}`);
}

const volatile = ['requestId', 'traceId', 'spanId', 'time', 'milliseconds'];

/** The lines of the log, by request, without what is another each time. */
const linesByRequest = () => {
  const lines = gateway.log().map((line) => {
    const kept = Object.entries(line).filter(([name]) => !volatile.includes(name));
    return { id: line['requestId'], line: Object.fromEntries(kept) };
  });
  return Map.groupBy(lines, ({ id }) => id);
};

const expectEqualLines = (compared: readonly Awaited<ReturnType<typeof compare>>[]): void => {
  const lines = linesByRequest();
  for (const { ids, what, hasFailed } of compared) {
    const [unknown, byAnother, byItself] = ids.map((id) =>
      lines.get(id)?.map(({ line }) => toldBy(line, hasFailed)),
    );
    expect(unknown, what).toBeDefined();
    expect([byAnother, byItself], what).toEqual([unknown, unknown]);
  }
};

describe('the answer, the log, the spans and the counts are the same, whoever sent before', () => {
  beforeEach(() => {
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
  });

  it.each([
    ['documents', compareDocument, 400],
    ['calls of REST', compareCall, 150],
  ])('%s', { timeout: 120_000 }, async (_what, compareOne, count) => {
    const start = Date.now() % 1_000_000_000;
    const compared: Awaited<ReturnType<typeof compare>>[] = [];
    for (let index = 0; index < count; index += 1) compared.push(await compareOne(start + index));
    expectEqualLines(compared);
    // Otherwise little was compared.
    const sorts = compared.map(({ sort }) => sort);
    expect(sorts).toEqual(
      expect.arrayContaining([
        'no header: 401',
        'an expired token: 401',
        'no scope: 403',
        'the usual scopes: 200',
      ]),
    );
    if (compareOne === compareDocument) expect(sorts).toContain('no header: 200');
  });
});
