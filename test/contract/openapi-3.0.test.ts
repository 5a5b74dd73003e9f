import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createTestGateway } from '../support/gateway.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

// biome-ignore lint/suspicious/noExplicitAny: documents that the tests look into
type Json = any;

const [document, newer] = ['openapi-3.0', 'openapi'].map(
  (name): Json => JSON.parse(readFileSync(`schema/${name}.json`, 'utf8')),
);

/** All objects within a part of a document, but for examples and defaults, with the members that lead there. */
const objectsIn = (part: Json, place = ''): [string, Json][] =>
  typeof part !== 'object' || part === null || /\/(examples?|default)$/.test(place)
    ? []
    : [
        [place, part],
        ...Object.entries(part).flatMap(([name, inner]) => objectsIn(inner, `${place}/${name}`)),
      ];

const placesOf = (part: Json, holds: (object: Json, place: string) => boolean): string[] =>
  objectsIn(part)
    .filter(([place, object]) => !Array.isArray(object) && holds(object, place))
    .map(([place]) => place);

/** Whether a place is a list of members by name, which may have any name. */
const isNames = (place: string): boolean =>
  /\/(properties|schemas|headers|parameters|responses)$/.test(place);

describe('the OpenAPI 3.0 document', () => {
  it.each<[string, (object: Json) => boolean]>([
    ['a list of types', ({ type }) => Array.isArray(type)],
    ['the type null', ({ type }) => type === 'null'],
    ['const', (object) => 'const' in object],
    [
      'a number as an exclusive bound',
      ({ exclusiveMinimum, exclusiveMaximum }) =>
        typeof exclusiveMinimum === 'number' || typeof exclusiveMaximum === 'number',
    ],
    ['members beside a reference', (object) => '$ref' in object && Object.keys(object).length > 1],
    ['nullable without a type', (object) => 'nullable' in object && !('type' in object)],
    ['a list of examples in a schema', ({ examples }) => Array.isArray(examples)],
  ])('never has %s', (_what, holds) => {
    expect(placesOf(document, (object, place) => !isNames(place) && holds(object))).toEqual([]);
  });

  it('has the operations, responses, schemas and nullable members of 3.1', () => {
    const told = (of: Json) =>
      Object.entries<Json>(of.paths).flatMap(([path, methods]) =>
        Object.entries<Json>(methods).map(([method, { operationId, responses }]) => [
          ...[path, method, operationId],
          Object.keys(responses),
        ]),
      );
    expect(document.openapi).toBe('3.0.3');
    expect(told(document)).toEqual(told(newer));
    expect(told(document).length).toBeGreaterThan(30);
    expect(Object.keys(document.components.schemas)).toEqual(Object.keys(newer.components.schemas));
    expect(Object.keys(document['x-webhooks'])).toEqual(Object.keys(newer.webhooks));
    const nulls = ({ type, anyOf = [] }: Json) =>
      (Array.isArray(type) && type.includes('null')) || anyOf.some((each: Json) => each.type === 'null');
    const mayBeNull = placesOf(newer.components.schemas, nulls);
    expect(mayBeNull.length).toBeGreaterThan(50);
    expect(placesOf(document.components.schemas, ({ nullable }) => nullable === true)).toEqual(mayBeNull);
  });
});

describe('GET /api/v1/openapi-3.0.json', () => {
  const setup = setUpGateway();
  const documents = async (options: Parameters<typeof createTestGateway>[1]) => {
    await using gateway = await createTestGateway(setup.issuer, options);
    const own = await gateway.rest('GET', '/openapi.json');
    const served = await gateway.rest('GET', '/openapi-3.0.json');
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'application/json']);
    return [served.body, own.body];
  };

  it('is the published document, with the identity provider of the service', async () => {
    const [served, own] = await documents({
      leakReports: { act: 'end', keys: { find: async () => undefined } },
    });
    const { securitySchemes } = own.components;
    expect(served).toEqual({ ...document, components: { ...document.components, securitySchemes } });
  });

  it.each([
    ['without operators', { operators: false }],
    ['with API_KEY_HEADER', { edge: { apiKeyHeader: 'Acme-Key' } }],
  ])('%s, it has the operations, schemas and security schemes of the service', async (_what, options) => {
    const [served, own] = await documents(options);
    expect(Object.keys(served.paths)).toEqual(Object.keys(own.paths));
    const known = Object.keys(own.components.schemas);
    expect(Object.keys(served.components.schemas).filter((name) => !known.includes(name))).toEqual([]);
    expect(served.tags).toEqual(own.tags);
    for (const methods of Object.values<Json>(served.paths))
      for (const { security, responses } of Object.values<Json>(methods)) {
        expect(responses).toBeDefined();
        for (const scheme of (security ?? []).flatMap(Object.keys))
          expect(served.components.securitySchemes).toHaveProperty(scheme);
      }
  });
});
