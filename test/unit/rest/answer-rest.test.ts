import { beforeEach, describe, expect, it } from 'vitest';
import { createSampleGateway } from './sample-gateway.ts';

let sample: Awaited<ReturnType<typeof createSampleGateway>>;
beforeEach(async () => {
  sample = await createSampleGateway();
});

const room = (id: number) => ({ id, door_count: 2, owner: { full_name: 'Ada L.' }, built_at: null });
const issue = (loc: readonly string[], type: string, msg: string = expect.any(String)) => ({
  status: 422,
  body: { detail: [{ loc, msg, type }] },
});

describe('a list', () => {
  it('read three times → a plain array each time, with a link to the next page', async () => {
    for (const _ of [1, 2, 3]) {
      const { status, body, headers } = await sample.rest('GET', '/rooms');
      expect([status, body]).toEqual([200, [room(1), room(2)]]);
      expect(headers.get('link')).toBe('</api/v1/rooms?cursor=after+2>; rel="next"');
    }
  });

  it('following its links → every page, with the other parameters kept', async () => {
    const ids: number[] = [];
    let next: string | undefined = '/rooms?limit=2&is_open=true&owner_name=A%26b%3E';
    const links: (string | null)[] = [];
    while (next) {
      const { body, headers } = await sample.rest('GET', next);
      ids.push(...body.map(({ id }: { id: number }) => id));
      links.push(headers.get('link'));
      next = headers.get('link')?.match(/^<\/api\/v1(.*)>; rel="next"$/)?.[1];
    }
    expect(ids).toEqual([1, 2, 3, 4, 5]);
    const kept = 'limit=2&is_open=true&owner_name=A%26b%3E';
    expect(links).toEqual([
      `</api/v1/rooms?${kept}&cursor=after+2>; rel="next"`,
      `</api/v1/rooms?${kept}&cursor=after+4>; rel="next"`,
      null,
    ]);
    expect(sample.given.at(-1)).toEqual({ first: 2, after: 'after 4', isOpen: true, ownerName: 'A&b>' });
  });

  it('HEAD → the same status and link, without a body', async () => {
    const { status, text, headers } = await sample.rest('HEAD', '/rooms?limit=1');
    expect([status, text]).toEqual([200, '']);
    expect(headers.get('link')).toBe('</api/v1/rooms?limit=1&cursor=after+1>; rel="next"');
  });

  it.each([
    ['limit=51', ['query', 'limit'], 'less_than_equal'],
    ['cursor=bad', ['query', 'cursor'], 'value_error'],
  ])('%s, which the operation refuses → the error names the parameter of REST', async (query, loc, type) => {
    for (const _ of [1, 2, 3])
      expect(await sample.rest('GET', `/rooms?${query}`)).toMatchObject(issue(loc, type));
  });

  it('over GraphQL → a connection with edges', async () => {
    const { body } = await sample.graphql(
      '{ rooms(first: 1) { edges { node { id } } pageInfo { endCursor } } }',
    );
    const edges = [{ node: { id: 1 } }];
    expect(body).toEqual({ data: { rooms: { edges, pageInfo: { endCursor: 'after 1' } } } });
  });
});

describe('a query string', () => {
  it('each parameter → an argument of its type', async () => {
    const query = 'limit=2&is_open=false&owner_name=5&built_after=2026-01-31T12:00:00%2B01:00';
    for (const _ of [1, 2, 3]) expect((await sample.rest('GET', `/rooms?${query}`)).status).toBe(200);
    expect(sample.given).toEqual(
      Array(3).fill({
        first: 2,
        isOpen: false,
        ownerName: '5',
        builtAfter: new Date('2026-01-31T11:00:00.000Z'),
      }),
    );
  });

  it('unknown parameters of a list, and names of GraphQL → 422 that names each', async () => {
    const { status, body } = await sample.rest('GET', '/rooms?first=1&last=1&isOpen=true&limit=1&x=1&x=2');
    expect(status).toBe(422);
    expect(body.detail.map(({ loc }: { loc: string[] }) => loc[1])).toEqual(['first', 'last', 'isOpen', 'x']);
    expect(sample.given).toEqual([]);
  });

  it('unknown parameters of an operation that is no list → ignored', async () => {
    await sample.rest('GET', '/echo?must_have=true&mustHave=false&x=1&x=2');
    expect(sample.given).toEqual([{ mustHave: true }]);
  });

  it.each(['', '0x1', '1e1', '+1', '01', ' 1', '1.0', '-0', 'x', 'null'])(
    'limit=%j → int_parsing',
    async (text) => {
      const answer = await sample.rest('GET', `/rooms?limit=${encodeURIComponent(text)}`);
      expect(answer).toMatchObject(issue(['query', 'limit'], 'int_parsing', 'Must be a decimal integer.'));
      expect(sample.given).toEqual([]);
    },
  );

  it.each(['', '1', '0', 'True', 'TRUE', 'yes', 'true ', 'null'])(
    'is_open=%j → bool_parsing',
    async (text) => {
      const answer = await sample.rest('GET', `/rooms?is_open=${encodeURIComponent(text)}`);
      expect(answer).toMatchObject(issue(['query', 'is_open'], 'bool_parsing', 'Must be true or false.'));
    },
  );

  it.each([
    ['limit=2147483648', 'limit', 'int_parsing_size'],
    ['limit=1&limit=1', 'limit', 'value_error'],
    ['cursor=&cursor=', 'cursor', 'value_error'],
    ['built_after=2026-01-31T12:00:00', 'built_after', 'timezone_aware'],
    ['built_after=2026-01-31T12:00:00+01:00', 'built_after', 'datetime_parsing'],
  ])('refuses %s', async (query, name, type) => {
    expect(await sample.rest('GET', `/rooms?${query}`)).toMatchObject(issue(['query', name], type));
  });

  it('without a required parameter → refused', async () => {
    expect(await sample.rest('GET', '/echo?count=1')).toMatchObject(issue(['query', 'must_have'], 'missing'));
  });

  it('several faults → all are listed', async () => {
    const { body } = await sample.rest('GET', '/rooms?is_open=1&limit=x');
    expect(body.detail.map(({ loc }: { loc: string[] }) => loc)).toEqual([
      ['query', 'limit'],
      ['query', 'is_open'],
    ]);
  });

  it('a query string with POST or PATCH → ignored', async () => {
    await sample.rest('POST', '/rooms?name=query', {});
    await sample.rest('PATCH', '/rooms/1?name=query', { name: 'body' });
    expect(sample.given).toEqual([{}, { roomId: 1, name: 'body' }]);
  });
});

describe('a creation', () => {
  it('succeeds → 201 and a Location', async () => {
    const { status, headers, body } = await sample.rest('POST', '/rooms', { name: 'Hall' });
    expect([status, body]).toEqual([201, room(7)]);
    expect(headers.get('location')).toBe('/api/v1/rooms/7');
  });

  it('fails → no Location', async () => {
    const { status, headers } = await sample.rest('POST', '/rooms', { name: 'Ballroom' });
    expect([status, headers.has('location')]).toEqual([422, false]);
  });

  it('a date-time in the body → read each time; a number in its place → refused', async () => {
    for (const _ of [1, 2, 3]) await sample.rest('POST', '/rooms', { built_at: '2026-01-31T12:00:00.5Z' });
    expect(sample.given).toEqual(Array(3).fill({ builtAt: new Date('2026-01-31T12:00:00.500Z') }));
    const answer = await sample.rest('POST', '/rooms', { built_at: 5 });
    expect(answer).toMatchObject(issue(['body', 'built_at'], 'datetime_parsing'));
  });
});

describe('a call that takes no body', () => {
  it('without a body, or with one → reaches the operation', async () => {
    expect(await sample.rest('PUT', '/rooms/1/default')).toMatchObject({
      status: 409,
      body: { detail: 'The room is closed' },
    });
    expect((await sample.rest('PUT', '/rooms/1/default', [])).status).toBe(409);
    expect((await sample.rest('DELETE', '/rooms')).status).toBe(200);
  });

  it.each([
    ...['x', '0x10', '1e3', '01', '%20', '-0', '1.5', '1.0', '%00', '1%00', '%D9%A1', '\u0661', '%ZZ', '%'],
    ...['%FF', 'default', '+1', '1%20', '1%0A', '1%2F2', '1,2', '--1', 'null', 'NaN'],
  ])('the id %s → int_parsing', async (id) => {
    const answer = await sample.rest('PUT', `/rooms/${id}/default`);
    expect(answer).toMatchObject(issue(['path', 'room_id'], 'int_parsing', 'Must be a decimal integer.'));
    expect(sample.given).toEqual([]);
  });

  it.each(['2147483648', '-2147483649', '99999999999999999999', '9'.repeat(400)])(
    'the id %s → int_parsing_size',
    async (id) => {
      const answer = await sample.rest('PUT', `/rooms/${id}/default`);
      expect(answer).toMatchObject(issue(['path', 'room_id'], 'int_parsing_size'));
    },
  );
});

describe('a field that may be null', () => {
  it('is null → the body is null', async () => {
    for (const _ of [1, 2, 3]) {
      const { status, text } = await sample.rest('GET', '/rooms/default');
      expect([status, text]).toEqual([200, 'null']);
    }
  });
});

describe('a fault that the operation finds', () => {
  it.each([
    [{ name: 'Ballroom' }, 'string_too_long'],
    [{ name: '\ud800' }, 'string_unicode'],
    [{ name: 'a\0' }, 'value_error'],
  ])('in %j → the error names the member of the body', async (json, type) => {
    expect(await sample.rest('PATCH', '/rooms/1', json)).toMatchObject(issue(['body', 'name'], type));
  });
});

describe('over GraphQL', () => {
  const create = 'mutation ($name: String, $at: DateTime) { createRoom(name: $name, builtAt: $at) { id } }';
  const issues = ({ body }: { body: { errors: { extensions: { issues?: unknown } }[] } }) =>
    body.errors[0]?.extensions.issues;

  it.each([['\ud800', 'string_unicode'] as const, ['a\0', 'value_error'] as const])(
    'refuses %j as a variable',
    async (name, type) => {
      expect(issues(await sample.graphql(create, { name }))).toMatchObject([{ path: ['name'], type }]);
    },
  );

  it('refuses NUL and an unpaired surrogate in a document', async () => {
    const nul = await sample.graphql('mutation { createRoom(name: "\\u0000") { id } }');
    expect(issues(nul)).toMatchObject([{ path: ['name'], type: 'value_error' }]);
    const half = await sample.graphql('mutation { createRoom(name: "\\uD800") { id } }');
    expect(half.body.errors[0].message).toContain('Invalid Unicode escape');
    expect(sample.given).toEqual([{ name: '\0' }]);
  });

  it('names each variable that is missing', async () => {
    const query = 'mutation ($id: Int!, $name: String!) { renameRoom(roomId: $id, name: $name) { id } }';
    const { body } = await sample.graphql(query, {});
    expect(body.errors[0].message).toBe('id: Required. name: Required.');
  });

  it('a date-time without an offset → refused with a message, as in REST', async () => {
    for (const _ of [1, 2, 3])
      expect(issues(await sample.graphql(create, { at: '2026-01-31T12:00:00' }))).toEqual([
        {
          path: ['at'],
          type: 'timezone_aware',
          message: 'Must be a date-time with an offset, such as 2026-01-31T12:00:00Z.',
        },
      ]);
  });

  it('a date-time in a document → read; any other literal → refused', async () => {
    await sample.graphql('mutation { createRoom(builtAt: "2026-01-31T12:00:00Z") { id } }');
    expect(sample.given).toEqual([{ builtAt: new Date('2026-01-31T12:00:00.000Z') }]);
    for (const literal of ['5', '"2026-01-31"', 'true']) {
      const { body } = await sample.graphql(`mutation { createRoom(builtAt: ${literal}) { id } }`);
      expect(body.errors[0].message).toMatch(/^Must be a date-time with an offset/);
    }
  });

  it('a conflict, in plain JSON → 200 with an error', async () => {
    const { status, body } = await sample.graphql('mutation { setDefaultRoom(roomId: 1) { id } }');
    expect(status).toBe(200);
    expect(body.errors[0]).toMatchObject({ message: 'The room is closed', extensions: { code: 'CONFLICT' } });
  });
});

describe('an answer that is a single value', () => {
  it.each([
    ['GET', '/rooms/count', 5],
    ['GET', '/rooms/count?is_open=true', 0],
    ['GET', '/rooms/last-built-at', null],
    ['POST', '/rooms/close', true],
  ])('%s %s → the value itself, each time', async (method, path, value) => {
    for (const _ of [1, 2]) {
      const { status, body, headers } = await sample.rest(method, path);
      expect([status, body]).toEqual([200, value]);
      expect(headers.get('content-type')).toBe('application/json');
    }
  });

  it('over GraphQL → the same value', async () => {
    const { body } = await sample.graphql('{ roomCount lastBuiltAt }');
    expect(body).toEqual({ data: { roomCount: 5, lastBuiltAt: null } });
  });
});
