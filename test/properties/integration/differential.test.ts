import fc from 'fast-check';
import { getNamedType } from 'graphql';
import { inject, it } from 'vitest';
import { secrets, setUpSides, specialistOf } from '../../support/differential.ts';
import {
  inputsOf,
  type OperationName,
  operations,
  pathArgument,
  type Step,
} from '../../support/two-sides.ts';

const sides = setUpSides();

const edges = [
  ...['-2147483649', '-2147483648', '-1', '0', '59', '60', '86400', '86401', '2147483647', '2147483648'],
  ...['99999999999999999999', '1e400', '-1e400', '3600.0', '3600.5', '36e2', '-0', 'null'],
  ...['true', 'false', '1', '"3600"', '"yes"', '"true"', '""', '"\\u0000"', '[]', '[60]', '{}'],
];
const anyJson = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...edges) }, fc.json({ maxDepth: 2 }));
const duration = fc.oneof(fc.integer({ min: 60, max: 86_400 }).map(String), fc.constant('null'), anyJson);
const flag = fc.oneof(fc.constantFrom('true', 'false', 'null'), anyJson);

const integerText = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('1', '2', '1', '2', '3', '4') },
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

/** Members of an input, each of which may be left out: GraphQL's name → JSON text. */
type Members = Readonly<Record<string, fc.Arbitrary<string>>>;

const oneOf = (...texts: string[]) => fc.constantFrom(...texts);
const anyName = fc.oneof(
  oneOf('null', '"Desk"', '" Desk\\t"', '""', '"  "', '"\\ud800"', `"${'a'.repeat(101)}"`),
  fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
  anyJson,
);
const anyMoment = fc.oneof(
  oneOf('null', '"2027-01-31T12:00:00Z"', '"2026-03-01T12:00:05.5+00:00"', '"2026-01-01T00:00:00Z"'),
  oneOf('"2027-02-30T12:00:00Z"', '"2027-01-31T12:00:00"', '"tomorrow"'),
  anyJson,
);
const anyGrace = fc.oneof(oneOf('0', '1', '60', '604800', '604801', '-1', 'null'), anyJson);
const anyReason = fc.oneof(oneOf('"Abuse"', '" Abuse "', '""', '"  "', `"${'a'.repeat(501)}"`), anyName);
const anyPrivateKey = fc.oneof(
  oneOf(`"${'ab'.repeat(32)}"`, `"0x${'1F'.repeat(32)}"`, `"${'f'.repeat(64)}"`),
  anyJson,
);
const anySecret = fc.oneof(
  oneOf(...Object.values(secrets).map((text) => `"${text}"`), '"sk-"', '"\\u0000"'),
  anyJson,
);
const anyUrl = fc.oneof(
  oneOf('"https://hooks.example.com/a"', '"https://hooks.example.com/b"', '"http://127.0.0.1:1/"'),
  oneOf('"https://10.0.0.1/"', '"http://hooks.example.com/"', '"https://a:b@hooks.example.com/"', '""'),
  anyJson,
);
const anyEvents = fc.oneof(
  oneOf('null', '["*"]', '["api_key.*", "quota.exhausted"]', '[]', '["api_key"]', '["*", "*"]', '[7]', '{}'),
);
// In a query string all is text: what is no number there, is none in JSON for another reason.
const pages = {
  first: oneOf('0', '1', '2', '100', '101', '-1'),
  after: oneOf('"MQ"', '"Mg"', '"Mw"', '"x"', '""'),
};

const text = (value: unknown) => JSON.stringify(value);
const tenOf = (count: number) => Array.from({ length: count }, (_, index) => `documents.d${index}`);
// GraphQL takes one item for a list of it, and REST does not: nothing here is a text.
const anyPermissions = fc.oneof(
  oneOf('null', '[]', '["documents.read"]', '["documents.*", "*", "a:b-c_d"]', text(tenOf(50))),
  oneOf(text(tenOf(51)), '["Documents"]', '["a", "a"]', '[""]', `["${'a'.repeat(101)}"]`, '[null]', '[7]'),
  oneOf('[["a"]]', '{}', '7', 'true', '["\\u0000"]', '["\\ud800"]', '["documents.read "]'),
);
const anyMetadata = fc.oneof(
  oneOf('null', '{}', '{"plan":"pro","seats":{"used_up":3,"leftOver":[1,null]}}', '{"__proto__":{"a":1}}'),
  oneOf(text({ a: 'x'.repeat(2040) }), text({ a: 'x'.repeat(2041) }), '{"a":"\\u0000"}', '{"\\ud800":1}'),
  oneOf(text(Object.fromEntries(tenOf(50).map((name) => [name, 1])))),
  oneOf(text(Object.fromEntries(tenOf(51).map((name) => [name, 1])))),
  oneOf(
    '[]',
    '7',
    '"{}"',
    `{"a":${'['.repeat(31)}${']'.repeat(31)}}`,
    `{"a":${'['.repeat(32)}${']'.repeat(32)}}`,
  ),
  fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 3 })).map(text),
);
const anyAddresses = fc.oneof(
  oneOf(
    'null',
    '[]',
    '["192.0.2.1"]',
    '["10.0.0.0/8", "2001:db8::/32", "::ffff:10.0.0.0/104"]',
    '["10.0.0.17/8"]',
  ),
  oneOf(
    '["10.0.0.0/33"]',
    '["10.0.0"]',
    '["loopback"]',
    '["fe80::1%eth0"]',
    '["10.0.0.1/8/8"]',
    '["::1", "::1"]',
  ),
  oneOf('[null]', '[7]', '{}', '7', '["\\u0000"]', '[""]', text(tenOf(51))),
);
const aCount = oneOf(
  '-1',
  '0',
  '1',
  '60',
  '86400',
  '86401',
  '1000000',
  '1000001',
  '2147483648',
  '1.5',
  '"1"',
  'null',
);
const objectOf = (members: Members) =>
  (fc.record({ ...members }, { requiredKeys: [] }) as fc.Arbitrary<Step['input']>).map(
    (given) =>
      `{${Object.entries(given)
        .map(([name, value]) => `"${name}":${value}`)
        .join(',')}}`,
  );
const anyRateLimit = fc.oneof(
  oneOf('null', '{"limit":100,"windowSeconds":60}', '{"limit":1,"windowSeconds":86400}', '[]', '7', '"x"'),
  objectOf({ limit: aCount, windowSeconds: aCount, nobody: aCount }),
);
const anyQuota = fc.oneof(
  oneOf(
    'null',
    '{"limit":10,"refill":"DAILY"}',
    '{"limit":10,"refill":"MONTHLY"}',
    '{"limit":0,"refill":"NEVER"}',
  ),
  objectOf({
    limit: aCount,
    refill: oneOf('"NEVER"', '"MONTHLY"', '"HOURLY"', '""', '7', 'null'),
    nobody: aCount,
  }),
);

// The same words on both sides.
const usage = {
  by: oneOf('"HOUR"', '"DAY"', '"WEEK"', '""'),
  from: oneOf('"2026-02-28T00:00:00Z"', '"2026-03-01T11:00:00+01:00"', '"2025-01-01T00:00:00Z"', '"x"'),
  to: oneOf('"2026-03-01T12:00:00Z"', '"2026-03-02T00:00:00.5Z"', '"2026-03-01T12:00:00"'),
};

const anyOverrides = fc.oneof(
  oneOf(
    'null',
    '{}',
    '{"permissions":null,"quota":{"limit":10,"refill":"daily"}}',
    '{"quota":{"limit":10,"refill":"DAILY"}}',
    '{"planOf":1}',
    '7',
    '[]',
    '"x"',
  ),
  objectOf({
    permissions: anyPermissions,
    max_active_keys: oneOf('0', '1', 'null'),
    metadata: anyMetadata,
    quota: objectOf({ limit: aCount, refill: oneOf('"never"', '"monthly"', '"NEVER"', '7') }),
  }),
);

const anyHeaders = oneOf(
  ...['null', '{}', '{"Authorization":"Bearer a"}', '{"X-A":"a","X-B":"b"}', '{"webhookId":"a"}'],
  ...['{"Host":"a"}', '{"X-A":"a","x-a":"a"}', '{"X-A":1}', '{"X-A":""}', '{"x_a":"a\\n"}', '[]', '"x"', '7'],
);

/** Values of an argument, by its name. */
const byName: Members = {
  ...{ overrides: anyOverrides, plan: oneOf('"pro"', '"free"', '"gold"', '""', '7', 'null') },
  ...{ permissions: anyPermissions, metadata: anyMetadata, allowedAddresses: anyAddresses },
  ...{ rateLimit: anyRateLimit, quota: anyQuota },
  ...{ name: anyName, expiresAt: anyMoment, graceSeconds: anyGrace, privateKey: anyPrivateKey },
  ...{ reason: anyReason, keyPrefix: fc.oneof(oneOf('"sk-a1b2c3"', '"sk-"', 'null'), anyName) },
  ...{ url: anyUrl, events: anyEvents, headers: anyHeaders },
  ...{ key: anySecret, sessionDuration: duration, ...pages, ...usage },
};

/** Values of any other argument, by its type: in a body, and in a query string. */
const byType: Members = { Boolean: flag, Int: duration, String: anyName, DateTime: anyMoment };
const byNameInQuery: Members = {
  ...pages,
  ...usage,
  keyId: oneOf('1', '2', '3', '99'),
  action: oneOf('"api-key-rotated"', '"api-key-created"', '"x"', '""'),
  actor: oneOf('"self"', '"operator"', '"nobody"', '""'),
  order: oneOf('"NEWEST"', '"OLDEST"', '"RANDOM"'),
  filter: oneOf('"al"', '"alice"', '"%"', '"_"', '""', `"${'a'.repeat(256)}"`),
  reason: oneOf('"Abuse"', '" Abuse "', '""', '"  "', `"${'a'.repeat(501)}"`),
  state: oneOf('"WAITING"', '"PARKED"', '"LOST"', '""'),
};
/** A path has no empty part. */
const byNameInPath: Members = {
  keyId: oneOf('1', '2', '3', '99'),
  deliveryId: oneOf('1', '2', '99'),
  prefix: oneOf('"sk-a1b2c3"', '"sk-zzzzzz"', '"ü/?"'),
};
const byTypeInQuery: Members = {
  Boolean: oneOf('true', 'false'),
  Int: oneOf('0', '1', '-1', '2147483647'),
  String: oneOf('"a"', '""'),
  DateTime: oneOf('"2027-01-31T12:00:00Z"'),
};

/** Members that an operation does not know and does not look at. */
const unknown: Partial<Record<OperationName, Members>> = { updateAutomationSettings: { userId: anyJson } };

/** Draws what an operation is given beside its path. */
const membersOf = (operation: OperationName): Members => {
  const first = pathArgument(operation);
  const known = inputsOf(operation).filter(({ name }) => name !== first);
  const drawn = known.map(({ name, type, in: place }) => {
    const values =
      place === 'path'
        ? byNameInPath[name]
        : place === 'query'
          ? (byNameInQuery[name] ?? byTypeInQuery[`${getNamedType(type)}`])
          : (byName[name] ?? byType[`${getNamedType(type)}`]);
    if (!values) throw new Error(`${operation}: no values for ${name}, here in differential.test.ts`);
    return [name, values] as const;
  });
  return { ...Object.fromEntries(drawn), ...unknown[operation] };
};

const idText = fc.oneof(
  { weight: 3, arbitrary: integerText.map((text) => ({ id: text, pathText: text, comparesWords: true })) },
  word.map((text) => ({ id: JSON.stringify(text), pathText: text, comparesWords: false })),
);

const stepOf = (operation: OperationName): fc.Arbitrary<Step> => {
  const requiredKeys = inputsOf(operation)
    .filter((input) => input.in === 'path' && input.name !== pathArgument(operation))
    .map(({ name }) => name);
  const members = fc.record({ ...membersOf(operation) }, { requiredKeys }) as fc.Arbitrary<Step['input']>;
  const inPath = pathArgument(operation);
  if (inPath === undefined) return members.map((input) => ({ operation, input, comparesWords: true }));
  return fc.tuple(idText, members).map(([{ id, ...words }, input]) => ({
    operation,
    input: { [inPath]: id, ...input },
    ...words,
  }));
};

const caller = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('alice', 'alice', 'bob', 'somebody new') },
  fc.constantFrom('alice without admin', 'alice with openid', 'nobody', 'provider'),
);

/** Whoever calls; what is for somebody special is mostly called by them. */
const callerOf = (operation: OperationName) => {
  const specialist = specialistOf(operation);
  return specialist ? fc.oneof({ weight: 3, arbitrary: fc.constant(specialist) }, caller) : caller;
};

const call = fc
  .constantFrom(...operations)
  .chain((operation) => fc.tuple(stepOf(operation), callerOf(operation)));

it('any calls through GraphQL and through REST → the same outcomes, and the same rows', async () => {
  const calls = fc.array(call, { minLength: 2, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(calls, async (some) => void (await sides.compare(some))),
    { numRuns: inject('postgresUrl') === undefined ? 100 : 25 },
  );
}, 60_000);
