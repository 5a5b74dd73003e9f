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
const refused = { detail: 'Precondition failed (If-Match or If-None-Match). Read it again, then retry' };

describe('a read', () => {
  beforeEach(() => createApiKeys(setup));

  it.each([settings, key, privateKey, '/auth/keys/default'])(
    'has a tag; If-None-Match with that tag → 304: %s',
    async (path) => {
      const first = await call('GET', path);
      const tag = tagOf(first);
      expect([first.status, tag]).toEqual([200, expect.stringMatching(/^"[\w-]{22}"$/)]);
      const suffixed = tag.replace(/"$/, '-gzip"');
      for (const field of [tag, `W/${tag}`, suffixed, `${stale}, ${tag}`, '*']) {
        const { status, text, headers } = await call('GET', path, { 'if-none-match': field });
        expect([field, status, text]).toEqual([field, 304, '']);
        expect([headers.get('etag'), headers.get('cache-control')]).toEqual([tag, 'no-store']);
        expect((await call('HEAD', path, { 'if-none-match': field })).status).toBe(304);
      }
      for (const field of [stale, 'x', tag.slice(1, -1), suffixed.replace('gzip', 'x')])
        expect(await call('GET', path, { 'if-none-match': field })).toMatchObject({ text: first.text });
    },
  );

  it('another tag in If-Match → 412', async () => {
    expect(await call('GET', key, { 'if-match': stale })).toMatchObject({ status: 412, body: refused });
    expect((await call('GET', key, { 'if-match': await read(key) })).status).toBe(200);
  });

  it('the tag changes only if the bytes change', async () => {
    const before = await read(settings);
    await put({ is_enabled: true });
    const after = await read(settings);
    await put({});
    expect(await read(settings)).toBe(after);
    expect(after).not.toBe(before);
  });
});

it('the same bytes → the same tag, on each database', async () => {
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

  it('the answer has the tag of the next read', async () => {
    expect(tagOf(await call(method, path, {}, json))).toBe(await read(place));
  });

  it.each(['"TAG"', 'W/"TAG"', '"TAG-gzip"', '"TAG-br"', '"x", "TAG"', '*'])(
    'the current tag in If-Match → accepted, written as %s',
    async (field) => {
      const headers = { 'if-match': field.replace('"TAG', (await read(place)).slice(0, -1)) };
      expect((await call(method, path, headers, json)).status).toBeLessThan(300);
    },
  );

  it('another tag → 412, and nothing changes', async () => {
    const before = await setup.stored();
    expect(await call(method, path, { 'if-match': stale }, json)).toMatchObject({
      status: 412,
      body: refused,
    });
    expect(await call(method, path, { 'if-none-match': '*' }, json)).toMatchObject({ status: 412 });
    expect(await setup.stored()).toEqual(before);
  });
});

/** The statements that a call needs, and its answer. */
async function statementsOf(ask: () => Promise<Answer>) {
  let answer: Answer | undefined;
  const { sql } = await recordStatements(setup.gateway.database, async () => {
    answer = await ask();
  });
  return { sql, answer };
}

describe('a list', () => {
  const list = '/auth/keys';
  beforeEach(() => createApiKeys(setup));

  it.each([list, `${list}?limit=1`, '/audit-events'])('has no tag: %s', async (path) => {
    const answer = await call('GET', path);
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, null]);
    for (const field of ['*', stale])
      expect(await call('GET', path, { 'if-none-match': field })).toMatchObject({
        status: 200,
        text: answer.text,
      });
  });

  it.each([
    ['GET', 200, undefined],
    ['POST', 201, {}],
  ])('If-Match: * → allowed, any tag → 412 without a statement: %s', async (method, made, json) => {
    const ask = (field: string) => call(method, list, { 'if-match': field }, json);
    for (const field of [stale, `${stale}, "x"`, 'x', '']) {
      const before = await setup.stored();
      const { sql, answer } = await statementsOf(() => ask(field));
      expect(answer).toMatchObject({ status: 412, body: refused });
      expect(sql).toEqual([]);
      expect(await setup.stored()).toEqual(before);
    }
    expect((await ask(' * ')).status).toBe(made);
  });

  it('exists, so If-None-Match: * → 412; a tag in If-None-Match → allowed', async () => {
    expect((await call('POST', list, { 'if-none-match': '*' }, {})).status).toBe(412);
    expect((await call('POST', list, { 'if-none-match': stale }, {})).status).toBe(201);
  });
});

describe('a condition', () => {
  it('also applies to a change at a path below', async () => {
    await createApiKeys(setup);
    const tag = await read(key);
    expect((await call('POST', `${key}/rotate`, { 'if-match': tag }, {})).status).toBe(200);
    expect((await call('POST', `${key}/rotate`, { 'if-match': tag }, {})).status).toBe(412);
  });

  it('is checked after the input and the key', async () => {
    await createApiKeys(setup);
    const headers = { 'if-match': stale };
    expect((await put({ session_duration: 1 }, headers)).status).toBe(422);
    expect((await call('PATCH', '/auth/keys/99', headers, { name: null })).status).toBe(404);
    expect((await call('PATCH', '/auth/keys/3', headers, { name: null })).status).toBe(404);
  });

  it('that fails → no account is created', async () => {
    expect((await put({ is_enabled: true }, { 'if-match': stale })).status).toBe(412);
    expect(await setup.gateway.rows('account')).toEqual([]);
    expect((await put({ is_enabled: true }, { 'if-match': await read(settings) })).status).toBe(200);
  });

  it.each([true, false])(
    'twenty at once with one tag → one succeeds; there were settings before: %s',
    async (isSet) => {
      if (isSet) await put({ is_enabled: true });
      const tag = await read(settings);
      const durations = Array.from({ length: 20 }, (_, index) => 60 + index);
      const answers = await Promise.all(
        durations.map((session_duration) => put({ session_duration }, { 'if-match': tag })),
      );
      const made = answers.filter(({ status }) => status === 200);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(412)]);
      expect((await call('GET', settings)).text).toBe(made[0]?.text);
    },
  );
});
