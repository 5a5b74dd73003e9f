import { describe, expect, it } from 'vitest';
import { toProblem } from '../../../web/console/api/problem.ts';
import { readAnswer } from '../../../web/console/api/read-answer.ts';
import { english, german } from '../../support/languages.ts';

const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });

const refusal = (code: string, message: string, extensions = {}) => ({
  errors: [{ message, extensions: { code, ...extensions } }],
});

describe('readAnswer', () => {
  it('a success → its data', async () => {
    expect(await readAnswer(english, answer(200, { data: { a: 1 } }))).toEqual({ a: 1 });
  });

  it.each([
    [answer(401, refusal('UNAUTHENTICATED', 'Not authenticated')), 'unauthenticated', /has expired/],
    [
      answer(403, refusal('FORBIDDEN', 'The access token lacks the scope: email')),
      'forbidden',
      /scope: email\.$/,
    ],
    [
      answer(
        403,
        refusal(
          'FORBIDDEN',
          'Your role in this organization may not change things. Roles that may: admin, owner',
        ),
      ),
      'forbidden',
      /^Your role in this organization does not allow this\. Roles that do: admin, owner\.$/,
    ],
    [
      answer(
        403,
        refusal('FORBIDDEN', 'Your role in this organization may not see anything. Roles that may: a. b'),
      ),
      'forbidden',
      /^Your role in this organization does not allow this\. Roles that do: a\. b\.$/,
    ],
    [answer(429, {}, { 'retry-after': '1' }), 'too-many', /in 1 second\.$/],
    [answer(429, {}), 'too-many', /in a moment\.$/],
    [answer(503, 'no JSON', { 'retry-after': '30' }), 'server', /in 30 seconds\.$/],
    [answer(500, refusal('INTERNAL_SERVER_ERROR', 'secret')), 'server', /^Something went wrong/],
    [answer(200, refusal('INTERNAL_SERVER_ERROR', 'secret')), 'server', /^Something went wrong/],
    [answer(200, refusal('NOT_FOUND', 'API key not found')), 'refused', /^API key not found\.$/],
    [answer(200, '<html>'), 'server', /could not be read/],
  ])('%o → a problem of its kind, with a message', async (response, kind, message) => {
    await expect(readAnswer(english, response)).rejects.toMatchObject({
      kind,
      message: expect.stringMatching(message),
    });
  });

  it('names the roles that may do something in the person’s language', async () => {
    const said = 'Your role in this organization may not change things. Roles that may: admin, owner';
    await expect(readAnswer(german, answer(403, refusal('FORBIDDEN', said)))).rejects.toMatchObject({
      kind: 'forbidden',
      message: 'Ihre Rolle in dieser Organisation erlaubt das nicht. Diese Rollen erlauben es: admin, owner.',
    });
  });

  it('says which argument is refused, and why', async () => {
    const issues = [{ path: ['name'], message: 'Too long.' }];
    const problem = await readAnswer<never>(
      english,
      answer(422, refusal('BAD_USER_INPUT', 'Invalid input', { issues })),
    ).catch((error) => toProblem(english, error));
    expect(problem.kind).toBe('invalid');
    expect(problem.issueOf('name')).toBe('Too long.');
    expect(problem.issueOf('expiresAt')).toBeUndefined();
  });

  it('a refused item of a list → the message begins with it; any other argument → no value', async () => {
    const issues = [
      { path: ['permissions', '1'], message: 'Must be a permission that this provider has.' },
      { path: ['rateLimit', 'limit'], message: 'Must be at most 5.' },
      { path: ['name'], message: 'Too long.' },
      { path: ['allowedAddresses', '0'], message: 'Must be an IP address.' },
    ];
    const asked = {
      name: 'n',
      permissions: ['a', 'b'],
      rateLimit: { limit: 6 },
      allowedAddresses: ['x'.repeat(99)],
    };
    const problem = await readAnswer<never>(
      english,
      answer(422, refusal('BAD_USER_INPUT', 'Invalid input', { issues })),
      asked,
    ).catch((error) => toProblem(english, error));
    expect(problem.issueOf('permissions')).toBe('“b” must be a permission that this provider has.');
    expect(problem.issueOf('rateLimit')).toBe('Must be at most 5.');
    expect(problem.issueOf('name')).toBe('Too long.');
    expect(problem.issueOf('allowedAddresses')).toBe(`“${'x'.repeat(60)}…” must be an IP address.`);
  });

  it('keeps the scopes of a challenge, and the id of a request that failed', async () => {
    const challenge = {
      'www-authenticate': 'Bearer realm="keyward", error="insufficient_scope", scope="openid email"',
    };
    await expect(readAnswer(english, answer(403, {}, challenge))).rejects.toMatchObject({
      scopes: ['openid', 'email'],
    });
    await expect(readAnswer(english, answer(500, {}, { 'x-request-id': 'r1' }))).rejects.toMatchObject({
      requestId: 'r1',
    });
  });
});
