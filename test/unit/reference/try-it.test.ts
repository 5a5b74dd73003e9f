import { describe, expect, it } from 'vitest';
import { describeRequest } from '../../../web/reference/try/describe-request.ts';
import { beginBody, fieldsOf } from '../../../web/reference/try/fields.ts';
import { bodyName, readForm } from '../../../web/reference/try/read-form.ts';

const parameter = (name: string, place: 'path' | 'query' | 'header', more = {}) => ({
  name,
  in: place,
  schema: { type: 'string' },
  example: `example of ${name}`,
  ...more,
});

const parameters = [
  parameter('id', 'path', { required: true }),
  parameter('prefix', 'path', { required: true }),
  parameter('limit', 'query'),
  parameter('active', 'query', { schema: { type: 'boolean' } }),
  parameter('by', 'query', { schema: { type: 'string', enum: ['hour', 'day'] } }),
  parameter('If-Match', 'header'),
];

const fields = fieldsOf({ parameters, credential: 'key' }, 'X-API-Key');

const body = {
  schema: { required: ['name', 'secret'], properties: { secret: { writeOnly: true } } },
  example: { name: 'Laptop', secret: '0x01', note: 'n' },
};

const read = (given: Record<string, string>, withBody = false) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(given)) form.set(name, value);
  const found = { method: 'PUT', path: '/keys/{id}/{prefix}', body: withBody ? body : undefined };
  return readForm(found, fields, form);
};

describe('the fields of an operation', () => {
  it('begin with the examples of what is required, and are empty otherwise', () => {
    expect(fields.map(({ name, value }) => [name, value])).toEqual([
      ['X-API-Key', ''],
      ['id', 'example of id'],
      ['prefix', 'example of prefix'],
      ['limit', ''],
      ['active', ''],
      ['by', ''],
      ['If-Match', ''],
    ]);
  });

  it.each([
    [undefined, ''],
    ['acme', 'acme'],
  ])('for the organisation %j, its header begins with %j', (organization, value) => {
    const withHeaders = [
      ...parameters,
      parameter('Keyward-Account', 'header'),
      parameter('Keyward-Organization', 'header'),
    ];
    const found = { parameters: withHeaders, credential: 'token' } as const;
    const begun = fieldsOf(found, 'X-API-Key', organization);
    expect(begun.filter((field) => field.value !== '').map((field) => [field.name, field.value])).toEqual([
      ['id', 'example of id'],
      ['prefix', 'example of prefix'],
      ...(value === '' ? [] : [['Keyward-Organization', value]]),
    ]);
    expect(begun.at(-1)).toEqual({
      name: 'Keyward-Organization',
      place: 'header',
      isRequired: false,
      isSecret: false,
      value,
    });
  });

  it('an operation that is for no organisation has no header for it', () => {
    const begun = fieldsOf({ parameters, credential: 'token' }, 'X-API-Key', 'acme');
    expect(begun.map(({ name }) => name)).toEqual(parameters.map(({ name }) => name));
    expect(begun.some((field) => field.value === 'acme')).toBe(false);
  });

  it('offer the values of a boolean and of an enum', () => {
    const choices = fields.map(({ choices: values }) => values).filter(Boolean);
    expect(choices).toEqual([
      ['true', 'false'],
      ['hour', 'day'],
    ]);
  });

  it('a body begins with its required members, and with empty secrets', () => {
    expect(JSON.parse(beginBody({ body }, 'required'))).toEqual({ name: 'Laptop', secret: '' });
    expect(JSON.parse(beginBody({ body }, 'all'))).toEqual({ name: 'Laptop', secret: '', note: 'n' });
    const list = { schema: {}, example: [{ token: 't' }] };
    expect(JSON.parse(beginBody({ body: list }, 'required'))).toEqual([{ token: 't' }]);
  });
});

describe('the command that is shown', () => {
  const bodyOf = (text: string) => {
    const request = { method: 'POST', path: '/keys', headers: [], text };
    const command = describeRequest(request, 'https://a.example', true);
    return / -d '(.*)'/s.exec(command)?.[1] ?? command;
  };

  it('has no secret in its body', () => {
    const body = { url: 'https://b.example', key: 'sk-1', headers: { 'X-Token': 't1', 'X-Other': 't2' } };
    expect(JSON.parse(bodyOf(JSON.stringify(body)))).toEqual({
      url: 'https://b.example',
      key: '<API_KEY>',
      headers: { 'X-Token': '<HEADER_VALUE>', 'X-Other': '<HEADER_VALUE>' },
    });
  });

  it.each(['{"name": "a",  "headers": null}', '{"n": 12345678901234567890}', '[1.0]'])(
    'has a body without secrets as it was entered: %s',
    (text) => {
      expect(bodyOf(text)).toBe(text);
    },
  );
});

describe('a form', () => {
  it('sends what was entered, and nothing else', () => {
    expect(read({ id: 'a/b', prefix: '{id}', limit: '5', 'If-Match': '"1"', 'X-API-Key': 'sk-1' })).toEqual({
      entered: {
        method: 'PUT',
        path: '/keys/a%2Fb/%7Bid%7D?limit=5',
        headers: [
          ['X-API-Key', 'sk-1', true],
          ['If-Match', '"1"', false],
        ],
      },
    });
  });

  it('a body is sent as it was entered', () => {
    const text = '{"n": 1.0, "n": 2}';
    const { entered } = read({ id: '1', prefix: 'p', [bodyName]: text }, true) as {
      entered: { text: string; headers: unknown };
    };
    expect(entered.text).toBe(text);
    expect(entered.headers).toEqual([['Content-Type', 'application/json', false]]);
  });

  it.each([
    [{ prefix: 'p' }, { id: 'Enter a value for id.' }],
    [
      { id: '..', prefix: '.' },
      { id: 'A path cannot have this value.', prefix: 'A path cannot have this value.' },
    ],
    [
      { id: '1', prefix: 'p', 'If-Match': 'a\nb' },
      { 'If-Match': 'A header cannot have this value. Use ASCII characters on one line.' },
    ],
  ])('%j → a fault at the field', (given, faults) => {
    expect(read(given)).toEqual({ faults });
  });

  it.each([
    ['', 'Enter a body.'],
    [' ', 'Enter a body.'],
    ['{', /^This is not JSON: .+\.$/],
  ])('the body %j → a fault at the body', (text, fault) => {
    const result = read({ id: '1', prefix: 'p', [bodyName]: text }, true);
    expect(result).toEqual({ faults: { [bodyName]: expect.stringMatching(fault) } });
  });
});
