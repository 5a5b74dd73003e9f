import { afterAll, beforeAll, expect, it } from 'vitest';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';
import { createTemporaryFolder, type ServiceProcess, startProcess } from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';

const stack = new AsyncDisposableStack();
let issuer: TestIssuer;
let service: ServiceProcess;

beforeAll(async () => {
  const folder = stack.use(await createTemporaryFolder());
  issuer = stack.use(await startIssuer());
  service = stack.use(
    await startProcess(folder.path, {
      NODE_ENV: 'production',
      ...secretVariables(),
      AUTH_ISSUER: issuer.config.issuer,
      AUTH_AUDIENCE: 'any',
      AUTH_AUTHORIZED_PARTIES: 'https://app.example.com',
      AUTH_PEOPLE: 'openid,email,profile,idp.signin.user.admin',
      AUTH_REQUIRE: '{"act": null}',
    }),
  );
});
afterAll(() => stack.disposeAsync());

const statusOf = async (claims: object) => {
  const sent: Record<string, unknown> = { aud: undefined, scope: undefined, ...claims };
  const token = await issuer.sign(sent, { typ: 'JWT' });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: '{"name": "Laptop"}' };
  return (await fetch(`${service.url}/api/v1/auth/keys`, init)).status;
};

it('a start with the audience "any" says what that means', () => {
  const lines = service.output.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const warnings = lines.filter(({ level }) => level >= 40);
  expect(warnings).toMatchObject([
    {
      level: 40,
      issuer: issuer.config.issuer,
      msg: 'tokens of this issuer are accepted without an audience, whichever application they are for: its audience is "any"',
    },
  ]);
});

it.each<[string, object, number]>([
  ['no audience, client and scopes', {}, 201],
  ['our page', { azp: 'https://app.example.com' }, 201],
  ['another page', { azp: 'https://evil.example.com' }, 401],
  ['an audience', { aud: 'keyward' }, 401],
  ['an impersonated person', { act: { sub: 'admin' } }, 401],
  ['scopes that are not enough', { scope: 'openid email profile' }, 403],
])('the real process answers a token with %s: %s %i', async (_what, claims, status) => {
  expect(await statusOf(claims)).toBe(status);
});
