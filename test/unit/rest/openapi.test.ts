import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { createOpenApi } from '../../../src/rest/openapi.ts';
import { createSofa } from '../../../src/rest/sofa.ts';
import { createSampleSchema, routes } from './sample-gateway.ts';

const { schema } = createSampleSchema();
const sofa = createSofa(schema, routes);
const described = { issuer: 'https://issuer.test', limits: loadConfig({}) };
// biome-ignore lint/suspicious/noExplicitAny: a document that the tests themselves are the types of
const document: any = createOpenApi(sofa, described);
const operation = (method: string, path: string) => document.paths[`/api/v1${path}`][method];
const success = (method: string, path: string, status = 200) => operation(method, path).responses[status];

describe('a list', () => {
  it('is an array of records, with a Link', () => {
    const { headers, content } = success('get', '/rooms');
    expect(headers).toEqual({
      Link: { description: expect.stringContaining('RFC 8288'), schema: { type: 'string' } },
    });
    const items = { $ref: '#/components/schemas/Room' };
    expect(content['application/json'].schema).toEqual({ type: 'array', items });
  });

  it('is paged by limit and cursor, beside its other arguments', () => {
    const parameters = operation('get', '/rooms').parameters;
    expect(parameters.map(({ name }: { name: string }) => name)).toEqual([
      'limit',
      'cursor',
      'is_open',
      'owner_name',
      'built_after',
    ]);
    expect(parameters[0]).toEqual({
      name: 'limit',
      in: 'query',
      required: false,
      description: 'How many at most.',
      example: 10,
      schema: { type: 'integer', format: 'int32' },
    });
    expect(parameters[4].schema).toEqual({ type: 'string', format: 'date-time' });
  });

  it('leaves no type of a connection behind', () => {
    expect(Object.keys(document.components.schemas).sort()).toEqual([
      'Error',
      'Owner',
      'Room',
      'ValidationError',
    ]);
  });
});

describe('a creation', () => {
  it('is a 201 with a Location, and no 200', () => {
    const { responses, requestBody } = operation('post', '/rooms');
    expect(Object.keys(responses)).toEqual([
      '201',
      '401',
      '403',
      '409',
      '412',
      '413',
      '415',
      '422',
      '429',
      '500',
      '503',
    ]);
    expect(responses[201].headers).toHaveProperty('Location.schema.type', 'string');
    expect(requestBody.content['application/json'].schema.properties).toEqual({
      name: { type: ['string', 'null'] },
      built_at: { type: ['string', 'null'], format: 'date-time' },
    });
  });
});

describe('a body', () => {
  it('holds what the path does not', () => {
    const { requestBody, parameters } = operation('patch', '/rooms/{room_id}');
    const { schema: body } = requestBody.content['application/json'];
    expect(body).toMatchObject({ properties: { name: { type: 'string' } }, required: ['name'] });
    expect(Object.keys(body.properties)).toEqual(['name']);
    expect(parameters.map(({ name, in: place }: Record<string, string>) => [name, place])).toEqual([
      ['room_id', 'path'],
      ['If-Match', 'header'],
    ]);
  });

  it('is none, and 415 neither, where every argument stands in the path', () => {
    const put = operation('put', '/rooms/{room_id}/default');
    expect(put).not.toHaveProperty('requestBody');
    expect(Object.keys(put.responses)).toEqual([
      '200',
      '401',
      '403',
      '404',
      '409',
      '412',
      '413',
      '422',
      '429',
      '500',
      '503',
    ]);
    expect(put.responses[409]).toEqual({ $ref: '#/components/responses/Conflict' });
  });
});

describe('a field that may be null', () => {
  it('may be null in the answer', () => {
    expect(success('get', '/rooms/default').content['application/json'].schema).toEqual({
      anyOf: [{ $ref: '#/components/schemas/Room' }, { type: 'null' }],
    });
  });
});

describe('an answer that is no record', () => {
  const answer = (method: string, path: string) => success(method, path).content['application/json'];

  it('is described, with the example of its field', () => {
    expect(answer('get', '/rooms/count')).toEqual({
      schema: { type: 'integer', format: 'int32' },
      example: 5,
    });
    expect(answer('get', '/rooms/last-built-at').schema).toEqual({
      type: ['string', 'null'],
      format: 'date-time',
    });
    expect(answer('post', '/rooms/close').schema).toEqual({ type: 'boolean' });
  });
});

describe('an error that no operation may declare', () => {
  it('is refused', () => {
    const sample = createSampleSchema();
    const field = sample.schema.getMutationType()?.getFields()['setDefaultRoom'];
    Object.assign(field?.extensions as object, { errors: ['FORBIDDEN'] });
    const made = createSofa(sample.schema, routes);
    expect(() => createOpenApi(made, described)).toThrow('FORBIDDEN');
  });
});

describe('a route without a root field', () => {
  it('is refused', () => {
    const table = { ...routes, nothing: { method: 'GET', path: '/nothing' } } as const;
    expect(() => createOpenApi({ ...sofa, table }, described)).toThrow('nothing leads to no root field');
  });
});
