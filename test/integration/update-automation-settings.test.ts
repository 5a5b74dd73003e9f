import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { setUpGateway } from '../support/set-up-gateway.ts';

const start = '2026-03-01T08:00:00.000Z';
const later = '2026-03-01T08:00:42.123Z';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(start) });
});
afterEach(() => {
  vi.useRealTimers();
});

const setup = setUpGateway();
const path = '/automation/settings';

const query = `mutation ($isEnabled: Boolean, $sessionDuration: Int) {
  updateAutomationSettings(isEnabled: $isEnabled, sessionDuration: $sessionDuration) {
    isEnabled sessionDuration userId createdAt updatedAt
  }
}`;

interface Given {
  readonly is_enabled?: unknown;
  readonly session_duration?: unknown;
}

const put = async (json: unknown, sub = 'alice') =>
  setup.gateway.rest('PUT', path, { token: await setup.sign({ sub }), json });

/** A PUT whose body stands there letter by letter. */
const putText = async (
  body: string,
  headers: Record<string, string> = { 'content-type': 'application/json' },
) => setup.gateway.rest('PUT', path, { token: await setup.sign(), body, headers });

const graphql = async (variables: unknown, accept = 'application/graphql-response+json', sub = 'alice') =>
  setup.gateway.graphql(query, { token: await setup.sign({ sub }), variables, headers: { accept } });

/** The input of a REST call, spelled for GraphQL; what is left out stays out. */
const toVariables = (given: Given) => ({
  ...('is_enabled' in given && { isEnabled: given.is_enabled }),
  ...('session_duration' in given && { sessionDuration: given.session_duration }),
});

const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

const overRest = async (given: Given, sub?: string) => {
  const { status, body } = await put(given, sub);
  return { status, settings: body };
};

/** The same over GraphQL, its answer spelled as REST does. */
const overGraphql = async (given: Given, sub?: string) => {
  const { status, body } = await graphql(toVariables(given), undefined, sub);
  const { isEnabled, sessionDuration, userId, createdAt, updatedAt } = body.data.updateAutomationSettings;
  const settings = {
    is_enabled: isEnabled,
    session_duration: sessionDuration,
    user_id: userId,
    created_at: createdAt,
    updated_at: updatedAt,
  };
  return { status, settings };
};

const settingsOf = (values: object) => ({
  is_enabled: null,
  session_duration: null,
  user_id: 1,
  created_at: start,
  updated_at: start,
  ...values,
});

const events = (name: string) => setup.gateway.log().filter(({ event }) => event === name);

describe.each([
  ['REST', overRest],
  ['GraphQL', overGraphql],
])('200 over %s', (_name, update) => {
  it.each<Given>([
    { is_enabled: true, session_duration: 3600 },
    { is_enabled: false },
    { session_duration: 60 },
    { session_duration: 86_400 },
    {},
    { is_enabled: null, session_duration: null },
    { is_enabled: true, session_duration: null },
  ])('creates the row with what the first call gives, nulls for the rest: %j', async (given) => {
    const { status, settings } = await update(given);
    expect(status).toBe(200);
    expect(settings).toEqual(settingsOf(given));
    expect(await setup.gateway.rows('automation_settings')).toHaveLength(1);
  });

  it.each<[Given, object]>([
    [{ is_enabled: false }, { is_enabled: false, session_duration: 3600 }],
    [{ session_duration: 7200 }, { is_enabled: true, session_duration: 7200 }],
    [{ is_enabled: null }, { is_enabled: null, session_duration: 3600 }],
    [{ session_duration: null }, { is_enabled: true, session_duration: null }],
    [
      { is_enabled: null, session_duration: null },
      { is_enabled: null, session_duration: null },
    ],
    [
      { is_enabled: false, session_duration: 90 },
      { is_enabled: false, session_duration: 90 },
    ],
  ])('changes what is given, clears with null, keeps what is omitted: %j', async (given, expected) => {
    await update({ is_enabled: true, session_duration: 3600 });
    vi.setSystemTime(later);
    const { status, settings } = await update(given);
    expect(status).toBe(200);
    expect(settings).toEqual(settingsOf({ ...expected, updated_at: later }));
  });

  it.each<[string, object]>([
    ['no field', {}],
    ['one equal value', { session_duration: 3600 }],
    ['all values equal', { is_enabled: true, session_duration: 3600 }],
  ])('%s → nothing changes, not even updated_at', async (_what, given) => {
    await update({ is_enabled: true, session_duration: 3600 });
    const before = await setup.stored();
    vi.setSystemTime(later);
    const { status, settings } = await update(given);
    expect(status).toBe(200);
    expect(settings).toEqual(settingsOf({ is_enabled: true, session_duration: 3600 }));
    expect(await setup.stored()).toEqual(before);
    expect(events('automation-settings-updated')).toHaveLength(1);
  });

  it('clearing a setting that was never set is a change, and clearing it again is none', async () => {
    await update({ is_enabled: true });
    await update({ session_duration: null });
    const before = await setup.stored();
    vi.setSystemTime(later);
    expect((await update({ session_duration: null })).status).toBe(200);
    expect(await setup.stored()).toEqual(before);
    expect(events('automation-settings-updated')).toHaveLength(2);
  });

  it("has the account's id; other accounts' settings stay", async () => {
    await setup.gateway.createAccount('somebody');
    await update({ is_enabled: true, session_duration: 3600 }, 'bob');
    const [bob] = await setup.gateway.rows('automation_settings');
    vi.setSystemTime(later);
    const { settings } = await update({ is_enabled: null, session_duration: 60 });
    expect(await setup.gateway.rows('account')).toMatchObject([
      { id: 1 },
      { id: 2 },
      { id: 3, subject: 'alice' },
    ]);
    expect(settings).toMatchObject({ user_id: 3, session_duration: 60 });
    expect((await setup.gateway.rows('automation_settings'))[0]).toEqual(bob);
  });

  it('two first calls at once → one account and one row', async () => {
    const answers = await Promise.all([update({ is_enabled: true }), update({ session_duration: 3600 })]);
    // On PostgreSQL the one that is too late has taken an id, maybe the first.
    const accounts = await setup.gateway.rows('account');
    expect(accounts).toMatchObject([{ subject: 'alice' }]);
    const id = accounts[0]?.['id'];
    expect(answers.map(({ status, settings }) => [status, settings.user_id])).toEqual([
      [200, id],
      [200, id],
    ]);
    expect(await setup.gateway.rows('automation_settings')).toMatchObject([
      { account_id: id, is_enabled: 1, session_duration: 3600 },
    ]);
  });

  it('two first calls at once → one log line for the account', async () => {
    await Promise.all([update({ is_enabled: true }), update({ session_duration: 3600 })]);
    await update({ is_enabled: false });
    expect(events('account-created')).toEqual([expect.objectContaining({ accountId: expect.any(Number) })]);
  });
});

describe('200 over REST', () => {
  it('exactly five members', async () => {
    const answer = await put({ is_enabled: true, session_duration: 3600 });
    const settings = settingsOf({ is_enabled: true, session_duration: 3600 });
    expect(answer.text).toBe(JSON.stringify(settings));
  });

  it('the object that was returned, sent back → accepted', async () => {
    const first = await put({ is_enabled: true, session_duration: 3600 });
    const second = await put(first.body);
    expect(second.status).toBe(200);
    expect(second.body).toEqual(first.body);
  });

  it.each([
    ['{"session_duration":3600.0}', 3600],
    ['{"session_duration":3.6e3}', 3600],
    [' \n{ "session_duration" : 3600 }\t', 3600],
    ['{"session\\u005fduration":3600}', 3600],
    ['{"session_duration":5,"session_duration":3600}', 3600],
    ['{"session_duration":"x","session_duration":3600}', 3600],
    ['{"Session_Duration":61,"sessionDuration":62,"session_duration ":63}', null],
    ['{"user_id":7,"id":7,"account":7,"created_at":"x","session_duration":3600}', 3600],
    ['{"__proto__":{"session_duration":61,"is_enabled":true}}', null],
    ['{"constructor":{"prototype":{"session_duration":61,"is_enabled":true}}}', null],
    ['{"toString":61,"hasOwnProperty":62,"valueOf":null}', null],
  ])('accepts the body %s', async (text, session_duration) => {
    const answer = await putText(text);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(settingsOf({ session_duration }));
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect({}).not.toHaveProperty('session_duration');
  });

  it.each([
    'session_duration=61&is_enabled=true',
    'sessionDuration=61&isEnabled=true',
    'session_duration=x',
    'session_duration[]=61',
    'query=mutation{updateAutomationSettings(isEnabled:true){userId}}',
  ])('ignores the query string: %s', async (search) => {
    const token = await setup.sign();
    const answer = await setup.gateway.rest('PUT', `${path}?${search}`, { token, json: {} });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(settingsOf({}));
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
    'application/json ; foo="bar; baz"',
  ])('accepts the Content-Type %s', async (type) => {
    const answer = await putText('{"session_duration":3600}', { 'content-type': type });
    expect(answer).toMatchObject({ status: 200, body: { session_duration: 3600 } });
  });
});

describe('415 over REST', () => {
  it.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/merge-patch+json',
    'application/graphql-response+json',
    'text/plain; application/json',
    'json',
  ])('Content-Type %s → 415', async (type) => {
    const answer = await putText('{"session_duration":3600}', { 'content-type': type });
    expect(answer.status).toBe(415);
    expect(answer.body).toEqual({ detail: 'The body must be application/json' });
    expect(await setup.gateway.rows('account')).toEqual([]);
  });

  it('no Content-Type → 415', async () => {
    const request = new Request(`http://keyward.test/api/v1${path}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${await setup.sign()}` },
      body: new TextEncoder().encode('{"session_duration":3600}'),
    });
    expect(request.headers.has('content-type')).toBe(false);
    const response = await setup.gateway.gateway.fetch(request);
    expect(response.status).toBe(415);
    expect(await setup.gateway.rows('account')).toEqual([]);
  });
});

const outOfBounds: [number, string][] = [
  [59, 'greater_than_equal'],
  [0, 'greater_than_equal'],
  [-1, 'greater_than_equal'],
  [-2_147_483_648, 'greater_than_equal'],
  [86_401, 'less_than_equal'],
  [2_147_483_647, 'less_than_equal'],
];

const wrongTypes: [Given, string][] = [
  ...['3600', '', 'x', true, false, [], [3600], {}].map((session_duration): [Given, string] => [
    { session_duration },
    'int_type',
  ]),
  ...[3600.5, 59.999, -0.1].map((session_duration): [Given, string] => [
    { session_duration },
    'int_from_float',
  ]),
  ...[1e10, 1e300, 2_147_483_648, -2_147_483_649].map((session_duration): [Given, string] => [
    { session_duration },
    'int_parsing_size',
  ]),
  ...['yes', 'true', '', 1, 0, 3600.5, [], [true], {}].map((is_enabled): [Given, string] => [
    { is_enabled },
    'bool_type',
  ]),
];

describe('422 over REST', () => {
  const expectIssues = async (answer: { status: number; body: unknown }, issues: [string[], string][]) => {
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({
      detail: issues.map(([loc, type]) => ({ loc, msg: expect.stringMatching(/^\w.+\.$/), type })),
    });
    expect(await setup.gateway.rows('automation_settings')).toEqual([]);
  };

  it.each(wrongTypes)('%j → %s', async (given, type) => {
    await expectIssues(await put(given), [[['body', ...Object.keys(given)], type]]);
  });

  it.each(outOfBounds)('session_duration %i → %s', async (session_duration, type) => {
    await expectIssues(await put({ session_duration }), [[['body', 'session_duration'], type]]);
  });

  it('a number too large for any type → int_parsing_size', async () => {
    await expectIssues(await putText('{"session_duration":1e400}'), [
      [['body', 'session_duration'], 'int_parsing_size'],
    ]);
  });

  it('a member given twice → the last value is checked', async () => {
    await expectIssues(await putText('{"session_duration":3600,"session_duration":5}'), [
      [['body', 'session_duration'], 'greater_than_equal'],
    ]);
  });

  it('several faults → all are listed', async () => {
    await expectIssues(await put({ is_enabled: 'yes', session_duration: '3600' }), [
      [['body', 'is_enabled'], 'bool_type'],
      [['body', 'session_duration'], 'int_type'],
    ]);
  });

  it('one faulty member → nothing is stored', async () => {
    await put({ is_enabled: true, session_duration: 3600 });
    const before = await setup.stored();
    vi.setSystemTime(later);
    expect((await put({ is_enabled: false, session_duration: 59 })).status).toBe(422);
    expect((await put({ is_enabled: 'no', session_duration: 60 })).status).toBe(422);
    expect(await setup.stored()).toEqual(before);
  });

  it.each([
    ['[]', 'dict_type'],
    ['[{"session_duration":3600}]', 'dict_type'],
    ['5', 'dict_type'],
    ['null', 'dict_type'],
    ['true', 'dict_type'],
    ['"{}"', 'dict_type'],
    ['', 'missing'],
    [' \r\n\t', 'missing'],
    ['{', 'json_invalid'],
    ['{"session_duration":}', 'json_invalid'],
    ["{'session_duration':3600}", 'json_invalid'],
    ['{"session_duration":03600}', 'json_invalid'],
    ['{"session_duration":0xe10}', 'json_invalid'],
    ['{"session_duration":NaN}', 'json_invalid'],
    ['{"session_duration":3600,}', 'json_invalid'],
    ['{}{}', 'json_invalid'],
    ['session_duration=3600', 'json_invalid'],
    ['\u0000', 'json_invalid'],
  ])('the body %j → %s', async (body, type) => {
    await expectIssues(await putText(body), [[['body'], type]]);
  });

  it('no body → 422', async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await setup.gateway.rest('PUT', path, { token: await setup.sign(), headers });
    await expectIssues(answer, [[['body'], 'missing']]);
  });

  it('a malformed body is not repeated in the answer', async () => {
    const answer = await putText('{"canary": canary7f3a');
    expect(answer.status).toBe(422);
    expect(answer.text).not.toMatch(/canary|position|SyntaxError|Unexpected/);
  });
});

describe('BAD_USER_INPUT over GraphQL', () => {
  const accepts = ['application/graphql-response+json', 'application/json'] as const;

  it.each(wrongTypes)('%j → %s', async (given, type) => {
    const path = Object.keys(given).map(camelCase);
    const issues = [{ path, message: expect.any(String), type }];
    const answers = await Promise.all(accepts.map((accept) => graphql(toVariables(given), accept)));
    for (const { body } of answers) {
      expect(body.errors).toEqual([
        { message: expect.any(String), extensions: { code: 'BAD_USER_INPUT', issues } },
      ]);
      expect(body.data).toBeUndefined();
    }
    expect(answers.map(({ status }) => status)).toEqual([400, 200]);
    expect(await setup.gateway.rows('account')).toEqual([]);
  });

  it.each(outOfBounds)('sessionDuration %i → %s', async (sessionDuration, type) => {
    const issues = [{ path: ['sessionDuration'], message: expect.any(String), type }];
    const answers = await Promise.all(accepts.map((accept) => graphql({ sessionDuration }, accept)));
    for (const { body } of answers) {
      expect(body).toMatchObject({
        data: null,
        errors: [{ path: ['updateAutomationSettings'], extensions: { code: 'BAD_USER_INPUT', issues } }],
      });
    }
    expect(answers.map(({ status }) => status)).toEqual([422, 200]);
    expect(await setup.gateway.rows('automation_settings')).toEqual([]);
  });

  it('the same issues as REST', async () => {
    const given = { is_enabled: 'yes', session_duration: '3600' };
    const { detail } = (await put(given)).body;
    const { issues } = (await graphql(toVariables(given))).body.errors[0].extensions;
    expect(issues.map(({ message, type }: Record<string, unknown>) => [message, type])).toEqual(
      detail.map(({ msg, type }: Record<string, unknown>) => [msg, type]),
    );
    expect(issues.map((issue: { path: string[] }) => issue.path)).toEqual([
      ['isEnabled'],
      ['sessionDuration'],
    ]);
  });
});

describe('the order of checks', () => {
  const wrong = { body: '{', headers: { 'content-type': 'text/plain' } };

  it.each([
    [401, 'Not authenticated', undefined, wrong],
    [403, 'The access token lacks the scope: profile', 'openid email', wrong],
    [415, 'The body must be application/json', 'openid email profile', wrong],
  ])('%i, although the body is wrong too', async (status, detail, scope, call) => {
    const token = scope === undefined ? {} : { token: await setup.sign({ scope }) };
    const answer = await setup.gateway.rest('PUT', path, { ...call, ...token });
    expect(answer).toMatchObject({ status, body: { detail } });
  });

  it('422 is checked last', async () => {
    expect((await putText('{')).status).toBe(422);
  });
});
