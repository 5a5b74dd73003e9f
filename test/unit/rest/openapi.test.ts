import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { createOpenApi } from '../../../src/rest/openapi.ts';
import { createSofa } from '../../../src/rest/sofa.ts';
import { createSampleSchema, routes } from './sample-gateway.ts';

const { schema } = createSampleSchema();
const sofa = createSofa(schema, routes);
const described = { issuer: 'https://issuer.test', settings: loadConfig({}) };
// biome-ignore lint/suspicious/noExplicitAny: a document that the tests themselves are the types of
const document: any = createOpenApi(sofa, described);
const operation = (method: string, path: string) => document.paths[`/api/v1${path}`][method];
const success = (method: string, path: string, status = 200) => operation(method, path).responses[status];

/** The parameter of the operations on what an account owns, which is described once. */
const accountHeader = '#/components/parameters/KeywardAccount';
const organizationHeader = '#/components/parameters/KeywardOrganization';
const nameOf = ({ name, $ref }: { name?: string; $ref?: string }) => name ?? $ref;

describe('the description of a list', () => {
  it('is an array of records, with a Link header', () => {
    const { headers, content } = success('get', '/rooms');
    expect(headers).toEqual({
      Link: { description: expect.stringContaining('RFC 8288'), schema: { type: 'string' } },
    });
    const items = { $ref: '#/components/schemas/Room' };
    expect(content['application/json'].schema).toEqual({ type: 'array', items });
  });

  it('has the parameters limit and cursor, before its other parameters', () => {
    const parameters = operation('get', '/rooms').parameters;
    expect(parameters.map(nameOf)).toEqual([
      'limit',
      'cursor',
      'is_open',
      'owner_name',
      'built_after',
      accountHeader,
      organizationHeader,
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

  it('leaves no connection type among the schemas', () => {
    expect(Object.keys(document.components.schemas).sort()).toEqual([
      'Error',
      'Owner',
      'Room',
      'ValidationError',
    ]);
  });
});

describe('the description of a creation', () => {
  it('has a 201 with a Location, and no 200', () => {
    const { responses, requestBody } = operation('post', '/rooms');
    expect(Object.keys(responses)).toEqual([
      '201',
      '401',
      '403',
      '404',
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

describe('the description of a body', () => {
  it('has the arguments that are not in the path', () => {
    const { requestBody, parameters } = operation('patch', '/rooms/{room_id}');
    const { schema: body } = requestBody.content['application/json'];
    expect(body).toMatchObject({ properties: { name: { type: 'string' } }, required: ['name'] });
    expect(Object.keys(body.properties)).toEqual(['name']);
    expect(parameters.map(nameOf)).toEqual(['room_id', 'If-Match', accountHeader, organizationHeader]);
    expect(parameters[0].in).toBe('path');
  });

  it('is left out, and so is 415, if every argument is in the path', () => {
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

describe('the description of a field that may be null', () => {
  it('allows null as the answer', () => {
    expect(success('get', '/rooms/default').content['application/json'].schema).toEqual({
      anyOf: [{ $ref: '#/components/schemas/Room' }, { type: 'null' }],
    });
  });
});

describe('the description of an answer that is a single value', () => {
  const answer = (method: string, path: string) => success(method, path).content['application/json'];

  it('has the type and the example of its field', () => {
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
    expect(() => createOpenApi({ ...sofa, table }, described)).toThrow('nothing has no root field');
  });
});
