import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { createAssertionKey } from '../../../src/secrets/assertion-keys.ts';
import type { Answer } from '../../support/gateway.ts';
import { createApiKeys } from '../../support/key-suite.ts';
import { setUpGateway } from '../../support/set-up-gateway.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Operation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in?: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
}

type Operations = Record<string, Record<string, Operation>>;
const document: { tags: { name: string }[]; paths: Operations; webhooks: Operations } = JSON.parse(
  readFileSync('schema/openapi.json', 'utf8'),
);

/** What no schema can say, or says only as a format: where and why an input is refused all the same. */
const unsaid = [
  // It lies in the past; or is a leap second, or after the year 9999 in UTC.
  'body.expires_at datetime_future',
  'body.expires_at datetime_parsing',
  // It comes after the end of the range, or long before it.
  'query.from value_error',
  'query.from datetime_parsing',
  'query.to datetime_parsing',
  // It is 0, or not below the order of the curve.
  'body.private_key string_pattern_mismatch',
  // It is none that was handed out.
  'query.cursor value_error',
  // It has the characters of an IP address, and is none.
  'body.address value_error',
  // Half of a surrogate pair, which JSON can write and UTF-8 cannot.
  'body.name string_unicode',
  'body.description string_unicode',
  'body.key string_unicode',
  'body.key_prefix string_unicode',
  'body.reason string_unicode',
  'body.issuer string_unicode',
  'body.subject string_unicode',
  'body.plan string_unicode',
  'body.overrides string_unicode',
  // It is not how the key begins.
  'body.key_prefix value_error',
  // It lies in the future; or is a leap second, or after the year 9999 in UTC.
  'body.created_at value_error',
  'body.created_at datetime_parsing',
  // It stands beside the other, or neither is there; or it is hardly longer than its prefix.
  'body.key value_error',
  'body.metadata string_unicode',
  // It has a NUL character in it, is too large or too deep.
  'body.metadata value_error',
  'body.metadata too_long',
  // It has the characters of an address, and is none.
  'body.allowed_addresses.0 value_error',
  'body.address value_error',
  // It is no URL that events may be sent to.
  'body.url value_error',
  'body.url string_unicode',
  // Its names and values are not those of headers that an endpoint may have.
  'body.headers value_error',
  // Neither a person nor an organisation is named, or both are.
  'body.subject missing',
  // An operator says why, and a server of the provider need not.
  'body.reason missing',
  // It is no plan of the file, and no issuer that is trusted.
  'body.plan enum',
  'body.issuer value_error',
  // A plan has no such member, or not with such a value.
  'body.overrides value_error',
];

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);

const typesOf = ({ type = [] }: Schema): readonly string[] => (typeof type === 'string' ? [type] : type);

const moment = fc.date({ min: new Date('2027-01-01'), max: new Date('9999-12-30'), noInvalidDate: true });

const addresses = ['192.0.2.1', '10.0.0.0/8', '2001:db8::/32', '::ffff:10.0.0.0/104', '10.0.0.0/33', '1.2.3'];

const stringOf = ({ format, pattern, maxLength, enum: values }: Schema): fc.Arbitrary<unknown> => {
  if (values) return fc.constantFrom(...values);
  if (pattern?.startsWith('^https?:')) return fc.webUrl({ withQueryParameters: true });
  // Hardly a text of those characters is an address.
  if (pattern?.includes('A-Fa-f:')) return fc.constantFrom(...addresses);
  if (format === 'date-time') return moment.map((date) => date.toISOString().replace('Z', '+01:30'));
  if (maxLength !== undefined) return fc.string({ unit: 'grapheme', maxLength: 20 });
  return fc.stringMatching(new RegExp(pattern ?? '', 'u'));
};

const objectOf = ({ properties, required = [] }: Schema): fc.Arbitrary<unknown> => {
  if (!properties) return fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }));
  const members = Object.entries(properties).map(([name, each]) => [name, allowedBy(each)] as const);
  return fc.record(Object.fromEntries(members), { requiredKeys: [...required] });
};

/** Values that a schema allows, most of them. */
const allowedBy = (schema: Schema): fc.Arbitrary<unknown> => {
  // What is passed over may be anything.
  if (schema.type === undefined) return fc.jsonValue({ maxDepth: 1 });
  return fc.oneof(
    ...typesOf(schema).map((type) => {
      if (type === 'null') return fc.constant(null);
      if (type === 'boolean') return fc.boolean();
      if (type === 'string') return stringOf(schema);
      if (type === 'array') return fc.uniqueArray(allowedBy(schema.items ?? {}), { maxLength: 3 });
      if (type === 'object') return objectOf(schema);
      const { minimum: min = -(2 ** 40), maximum: max = 2 ** 40 } = schema;
      const edge = fc.constantFrom(min, max, min - 1, max + 1, min + 0.5);
      return fc.oneof({ weight: 4, arbitrary: fc.integer({ min, max }) }, { weight: 1, arbitrary: edge });
    }),
  );
};

const edges = [
  ...['', ' ', 'x', '5', 'true', 'null', '\0', 'a\0b', '\ud800', ' Desk\t', '\ufeff', 'é'],
  ...[99, 100, 101].flatMap((length) => [
    'a'.repeat(length),
    '💡'.repeat(length),
    `  ${'a '.repeat(length)}`,
  ]),
  ...[1000, 1001].flatMap((length) => ['a'.repeat(length), '💡'.repeat(length)]),
  ...['0'.repeat(64), 'f'.repeat(64), `0x${'1F'.repeat(32)}`, `0X${'1F'.repeat(32)}`, 'ab'.repeat(31)],
  ...['2026-01-31T12:00:00Z', '2099-02-30T12:00:00Z', '2099-01-31', '2099-01-31T12:00:00', 'MQ', 'MQ=='],
  ...['2099-01-31t12:00:00z', '2099-01-31 12:00:00Z', '2099-01-31T12:00:00.1234567890Z'],
  ...[0, -1, 1, 59, 60, 101, 604_800, 604_801, 86_401, 2 ** 31, 1e20, 0.5, true, false, null],
  ...[[], ['a', 'a'], ['A'], [null], ['10.0.0.0/8'], {}, { limit: 1 }, { limit: 1, refill: 'hourly' }],
  ...[50, 51].map((length) => Array.from({ length }, (_, index) => `a${index}`)),
];

const anything = fc.oneof(fc.constantFrom<unknown>(...edges), fc.jsonValue({ maxDepth: 1 }));

const drawn = (schema: Schema) =>
  fc.oneof({ weight: 6, arbitrary: allowedBy(schema) }, { weight: 1, arbitrary: anything });

const record = (members: Readonly<Record<string, Schema>>) =>
  fc.record(Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, drawn(schema)])), {
    requiredKeys: [],
  });

const bodyOf = (schema: Schema): fc.Arbitrary<unknown> => {
  const members = record(schema.properties ?? {});
  const extended = fc.tuple(
    members,
    fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 1 })),
  );
  return fc.oneof(
    { weight: 6, arbitrary: members },
    // Of many required members that are drawn one by one, hardly ever all are there and allowed.
    { weight: schema.required?.length ?? 0, arbitrary: allowedBy(schema) },
    { weight: 1, arbitrary: extended.map(([given, extra]) => ({ ...extra, ...given })) },
    { weight: 1, arbitrary: anything },
  );
};

/** A parameter is text: one that its schema allows, as JSON writes it. */
const allowsText = (schema: Schema, text: string): boolean =>
  typesOf(schema).some((type) => {
    if (type === 'string') return ajv.validate(schema, text);
    if (type === 'boolean') return text === 'true' || text === 'false';
    return /^(0|-?[1-9]\d*)$/.test(text) && ajv.validate(schema, Number(text));
  });

const operations = Object.entries(document.paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  )
  .map((operation) => ({
    ...operation,
    // What several operations share stands elsewhere: all of it is in headers.
    parameters: operation.parameters?.filter(({ in: place = 'header' }) => place !== 'header'),
  }))
  // What is signed has tests of its own.
  .filter(({ security }) => security?.length !== 0)
  // A form has texts alone: test/integration/introspect-token.test.ts sends what it must not have.
  .filter(({ requestBody }) => requestBody === undefined || 'application/json' in requestBody.content)
  .filter(({ parameters = [], requestBody }) => parameters.length > 0 || requestBody !== undefined);

const assertions = { keys: [createAssertionKey('a')], audiences: ['api'], seconds: 60 } as const;
const setup = setUpGateway({ assertions });
beforeEach(() => createApiKeys(setup));

type Values = Readonly<Record<string, unknown>>;
type Schemas = Readonly<Record<string, Schema>>;

const toText = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed();

const textsOf = (values: Values): [string, string][] =>
  Object.entries(values).map(([name, value]) => [name, toText(value)]);

const allowsTexts = (schemas: Schemas, values: Values): boolean =>
  textsOf(values).every(([name, text]) => allowsText(schemas[name] ?? {}, text));

/** Values for a path: an empty segment, `.` and `..` are other paths. */
const segments = (schemas: Schemas): fc.Arbitrary<Values> =>
  fc
    .record(Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, drawn(each)])))
    .filter((values) => Object.values(values).every((value) => !/^\.{0,2}$/.test(toText(value))));

const fill = (path: string, values: Values): string =>
  textsOf(values).reduce((all, [name, text]) => all.replace(`{${name}}`, encodeURIComponent(text)), path);

/** Fails unless a request is answered as its description has it. */
const expectAsDescribed = (given: string, isAllowed: boolean, { status, body }: Answer): void => {
  if (!isAllowed || status !== 422) {
    const wanted = isAllowed ? [200, 201, 404, 409] : [422];
    expect(wanted, given).toContain(status);
    return;
  }
  for (const { loc, type } of body.detail)
    expect(unsaid, given).toContain(`${loc.join('.').replace(/\d+$/, '0')} ${type}`);
};

it.each(operations)('$operationId accepts exactly what its description allows', async (operation) => {
  const { path, method, parameters = [], requestBody } = operation;
  const schema = requestBody?.content['application/json'].schema;
  const inPlace = (place: string): Schemas =>
    Object.fromEntries(
      parameters.filter((each) => each.in === place).map((each) => [each.name, each.schema]),
    );
  const required = parameters.flatMap((each) => (each.in === 'query' && each.required ? [each.name] : []));
  const [pathSchemas, querySchemas] = [inPlace('path'), inPlace('query')];
  const token = await setup.sign({
    scope:
      'idp.signin.user.admin openid email profile keys.verify keys.import keyward.admin keyward.audit accounts.entitle accounts.act',
  });
  const seen = { allowed: 0, forbidden: 0 };

  const holds = async (inPath: Values, inQuery: Values, json: unknown): Promise<void> => {
    const isAllowed =
      allowsTexts(pathSchemas, inPath) &&
      allowsTexts(querySchemas, inQuery) &&
      required.every((name) => name in inQuery) &&
      (schema === undefined || ajv.validate(schema, json));
    seen[isAllowed ? 'allowed' : 'forbidden'] += 1;
    const url = `${fill(path, inPath)}?${new URLSearchParams(textsOf(inQuery))}`;
    const answer = await setup.gateway.fetch(method.toUpperCase(), url, { token, ...(schema && { json }) });
    expectAsDescribed(JSON.stringify([url, json]), isAllowed, answer);
  };

  const body = schema ? bodyOf(schema) : fc.constant(undefined);
  const property = fc.asyncProperty(segments(pathSchemas), record(querySchemas), body, holds);
  await fc.assert(property, { numRuns: 80 });
  expect(Math.min(seen.allowed, seen.forbidden)).toBeGreaterThan(5);
});

describe('tags', () => {
  it('are one for each operation', () => {
    const names = document.tags.map(({ name }) => name);
    const used = Object.values({ ...document.paths, ...document.webhooks }).flatMap((methods) =>
      Object.values(methods).map(({ operationId, tags = [] }) => {
        expect(tags, `${operationId}: see the tags in src/rest/openapi.ts`).toHaveLength(1);
        return tags[0];
      }),
    );
    expect(names.toSorted()).toEqual([...new Set(used)].toSorted());
  });
});
