import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Answer } from '../support/gateway.ts';
import { createApiKeys } from '../support/key-suite.ts';
import { recordStatements } from '../support/record-statements.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();
const settings = '/automation/settings';
const key = '/auth/keys/1';
const privateKey = '/auth/private-key';

const call = async (method: string, path: string, headers: Record<string, string> = {}, json?: object) =>
  setup.gateway.rest(method, path, { token: await setup.sign(), headers, ...(json && { json }) });

const tagOf = ({ headers }: Answer): string => headers.get('etag') ?? 'none';
const read = async (path: string) => tagOf(await call('GET', path));
const put = (json: object, headers: Record<string, string> = {}) => call('PUT', settings, headers, json);

/** A tag that nothing has. */
const stale = `"${'A'.repeat(22)}"`;
/** The tag of a list that something is added to has two parts: of its bytes, and of its revision. */
const ofList = /^"[\w-]{22}\.[\w-]{8}"$/;
const refused = { detail: 'It is not as If-Match or If-None-Match says: read it again' };

describe('what is read', () => {
  beforeEach(() => createApiKeys(setup));

  it.each([
    settings,
    key,
    privateKey,
    '/auth/keys',
    '/auth/keys?limit=1',
    '/auth/keys/default',
    '/audit-events',
  ])('has a tag, and is 304 for who has it: %s', async (path) => {
    const first = await call('GET', path);
    const tag = tagOf(first);
    const form = path.startsWith('/auth/keys') && !path.includes('keys/') ? ofList : /^"[\w-]{22}"$/;
    expect([first.status, tag]).toEqual([200, expect.stringMatching(form)]);
    const suffixed = tag.replace(/"$/, '-gzip"');
    for (const field of [tag, `W/${tag}`, suffixed, `${stale}, ${tag}`, '*']) {
      const { status, text, headers } = await call('GET', path, { 'if-none-match': field });
      expect([field, status, text]).toEqual([field, 304, '']);
      expect([headers.get('etag'), headers.get('cache-control')]).toEqual([tag, 'no-store']);
      expect((await call('HEAD', path, { 'if-none-match': field })).status).toBe(304);
    }
    for (const field of [stale, 'x', tag.slice(1, -1), suffixed.replace('gzip', 'x')])
      expect(await call('GET', path, { 'if-none-match': field })).toMatchObject({ text: first.text });
  });

  it('is 412 where it is not what is wanted', async () => {
    expect(await call('GET', key, { 'if-match': stale })).toMatchObject({ status: 412, body: refused });
    expect((await call('GET', key, { 'if-match': await read(key) })).status).toBe(200);
  });

  it('has another tag once it differs, and the same again for the same bytes', async () => {
    const before = await read(settings);
    await put({ is_enabled: true });
    const after = await read(settings);
    await put({});
    expect(await read(settings)).toBe(after);
    expect(after).not.toBe(before);
  });
});

it('has the tag that its bytes have, whatever the database', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-01T08:00:00.000Z') });
  try {
    const answer = await put({ is_enabled: true, session_duration: 60 });
    expect([answer.text, tagOf(answer)]).toEqual([
      '{"is_enabled":true,"session_duration":60,"user_id":1,"created_at":"2026-03-01T08:00:00.000Z","updated_at":"2026-03-01T08:00:00.000Z"}',
      '"EyM4zMuiRs_yf3E7dDL-iY"',
    ]);
  } finally {
    vi.useRealTimers();
  }
});

/** Each change that answers what is then read at its path: method, path, body, and where that is read. */
const changes: [string, string, object | undefined, string][] = [
  ['PUT', settings, { is_enabled: false }, settings],
  ['PATCH', key, { name: 'Desk' }, key],
  ['PUT', `${key}/default`, undefined, key],
  ['DELETE', key, undefined, key],
  ['POST', privateKey, { private_key: 'ab'.repeat(32) }, privateKey],
  ['DELETE', privateKey, undefined, privateKey],
];

describe.each(changes)('%s %s', (method, path, json, place) => {
  beforeEach(() => createApiKeys(setup));

  it('answers the tag of what is read next', async () => {
    expect(tagOf(await call(method, path, {}, json))).toBe(await read(place));
  });

  it.each(['"TAG"', 'W/"TAG"', '"TAG-gzip"', '"TAG-br"', '"x", "TAG"', '*'])(
    'is made where it is as the caller knows it: %s',
    async (field) => {
      const headers = { 'if-match': field.replace('"TAG', (await read(place)).slice(0, -1)) };
      expect((await call(method, path, headers, json)).status).toBeLessThan(300);
    },
  );

  it('is 412 and changes nothing where it is not', async () => {
    const before = await setup.stored();
    expect(await call(method, path, { 'if-match': stale }, json)).toMatchObject({
      status: 412,
      body: refused,
    });
    expect(await call(method, path, { 'if-none-match': '*' }, json)).toMatchObject({ status: 412 });
    expect(await setup.stored()).toEqual(before);
  });
});

describe('POST /auth/keys', () => {
  const list = '/auth/keys';
  const create = (headers: Record<string, string> = {}, json: object = {}) =>
    call('POST', list, headers, json);
  beforeEach(() => createApiKeys(setup));

  it.each(['"TAG"', 'W/"TAG"', '"TAG-gzip"', '"x", "TAG"', '*'])(
    'is made where the list is as the caller knows it: %s',
    async (field) => {
      for (const known of [list, `${list}?limit=1`, `${list}?is_active=false`]) {
        const headers = { 'if-match': field.replace('"TAG', (await read(known)).slice(0, -1)) };
        expect((await create(headers)).status).toBe(201);
      }
    },
  );

  it.each([
    ['a key was made', () => create()],
    ['a key was changed', () => call('PATCH', key, {}, { name: 'Desk' })],
    ['a key was rotated', () => call('POST', `${key}/rotate`, {}, {})],
    ['a key was deactivated', () => call('DELETE', '/auth/keys/2')],
  ])('is 412 and changes nothing where %s meanwhile', async (_what, change) => {
    const tag = await read(list);
    expect((await change()).status).toBeLessThan(300);
    const before = await setup.stored();
    for (const headers of [{ 'if-match': tag }, { 'if-match': stale }, { 'if-match': `"x", ${tag}` }])
      expect(await create(headers)).toMatchObject({ status: 412, body: refused });
    for (const field of ['*', await read(list)])
      expect((await create({ 'if-none-match': field })).status).toBe(412);
    expect(await setup.stored()).toEqual(before);
    expect((await create({ 'if-match': await read(list) })).status).toBe(201);
  });

  it('is 412 where the first part of the tag alone is right, and made where the second is', async () => {
    const [bytes = '', revision = ''] = (await read(list)).split('.');
    for (const tag of [`${bytes}"`, `${bytes}.AAAAAAAA"`, `"${revision}`, `".${revision.slice(1)}`])
      expect((await create({ 'if-match': tag })).status).toBe(412);
    expect((await create({ 'if-match': `${stale.slice(0, -1)}.${revision}` })).status).toBe(201);
  });

  it('goes by what somebody else changes as little as the list does', async () => {
    const tag = await read(list);
    const token = await setup.sign({ sub: 'carol' });
    expect((await setup.gateway.rest('POST', list, { token, json: {} })).status).toBe(201);
    expect((await create({ 'if-match': tag })).status).toBe(201);
  });

  it('is made once of twenty at once that know the same list', async () => {
    const headers = { 'if-match': await read(list) };
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(headers)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(19).fill(412)]);
  });

  it('is made by somebody who was never seen, and knows so', async () => {
    const token = await setup.sign({ sub: 'dora' });
    const as = (method: string, headers = {}) =>
      setup.gateway.rest(method, list, { token, headers, ...(method === 'POST' && { json: {} }) });
    const tag = tagOf(await as('GET'));
    expect((await as('POST', { 'if-match': stale })).status).toBe(412);
    expect((await as('POST', { 'if-match': tag })).status).toBe(201);
    expect((await as('POST', { 'if-match': tag })).status).toBe(412);
  });

  it('reads no key of the list, whatever the tag', async () => {
    const tag = await read(list);
    for (const field of [tag, tag]) {
      const { sql } = await recordStatements(setup.gateway.database, () => create({ 'if-match': field }));
      const reads = sql.filter((text) => text.startsWith('select') && text.includes('permissions'));
      expect([sql.length > 0, reads.length]).toEqual([true, 0]);
      expect(sql.join()).not.toMatch(/select .api_key.\.\*/);
    }
  });
});

describe('a condition', () => {
  it('counts for what is changed at a path below as well', async () => {
    await createApiKeys(setup);
    const tag = await read(key);
    expect((await call('POST', `${key}/rotate`, { 'if-match': tag }, {})).status).toBe(200);
    expect((await call('POST', `${key}/rotate`, { 'if-match': tag }, {})).status).toBe(412);
  });

  it('is asked after the input and the key', async () => {
    await createApiKeys(setup);
    const headers = { 'if-match': stale };
    expect((await put({ session_duration: 1 }, headers)).status).toBe(422);
    expect((await call('PATCH', '/auth/keys/99', headers, { name: null })).status).toBe(404);
    expect((await call('PATCH', '/auth/keys/3', headers, { name: null })).status).toBe(404);
  });

  it('leaves no account of somebody who was never seen', async () => {
    expect((await put({ is_enabled: true }, { 'if-match': stale })).status).toBe(412);
    expect(await setup.gateway.rows('account')).toEqual([]);
    expect((await put({ is_enabled: true }, { 'if-match': await read(settings) })).status).toBe(200);
  });

  it.each([true, false])('is met by one of twenty at once; there were settings before: %s', async (isSet) => {
    if (isSet) await put({ is_enabled: true });
    const tag = await read(settings);
    const durations = Array.from({ length: 20 }, (_, index) => 60 + index);
    const answers = await Promise.all(
      durations.map((session_duration) => put({ session_duration }, { 'if-match': tag })),
    );
    const made = answers.filter(({ status }) => status === 200);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(412)]);
    expect((await call('GET', settings)).text).toBe(made[0]?.text);
  });
});
