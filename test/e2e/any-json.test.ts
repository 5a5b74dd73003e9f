import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { anyJson } from '../support/any-json.ts';
import { createTemporaryFolder, type ServiceProcess, startProcess } from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';
import { encode, type Forge, startForge } from '../support/token-forge.ts';

let forge: Forge;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let service: ServiceProcess;
beforeAll(async () => {
  forge = await startForge();
  folder = await createTemporaryFolder();
  service = await startProcess(folder.path, {
    NODE_ENV: 'production',
    ...secretVariables(),
    AUTH_ISSUER: forge.config.issuer,
    AUTH_AUDIENCE: 'keyward',
    LOG_LEVEL: 'error',
  });
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
  await forge?.[Symbol.asyncDispose]();
});

/** The status with which a token is answered on each transport. */
const ask = async (token: string) => {
  const authorization = `Bearer ${token}`;
  const accept = 'application/graphql-response+json';
  const answers = [
    await fetch(`${service.url}/api/v1/auth/private-key`, { headers: { authorization } }),
    await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { authorization, accept, 'content-type': 'application/json' },
      body: '{"query":"{ privateKeyStatus { hasKey } }"}',
    }),
  ];
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  return answers.map(({ status }) => status);
};

/** What no JSON but the right one may stand for: a random one never is. */
const claims = ['iss', 'aud', 'nonce', 'at_hash', 'c_hash', 'token_use', 'typ'];
const members = ['alg', 'kid', 'crit'];

/** JSON text of an object with one member more, which takes the place of one before it (RFC 8259, section 4). */
const withMember = (object: object, name: string, json: string) =>
  `${JSON.stringify(object).slice(0, -1)},${JSON.stringify(name)}:${json}}`;

const tokenOf = (part: 'header' | 'claims', name: string, json: string): string => {
  const seconds = Math.floor(Date.now() / 1000);
  const good = {
    header: { alg: 'RS256', kid: 'test-1', typ: 'at+jwt' },
    claims: { iss: forge.config.issuer, aud: 'keyward', sub: 'alice', exp: seconds + 300, scope: 'openid' },
  };
  return forge.forge({
    [part]: withMember(good[part], name, json),
    ...(part === 'header' && { claims: good.claims }),
  });
};

it('any JSON in a claim or header member → 401, signed or not, and never 500', async () => {
  const places = fc.constantFrom(
    ...claims.map((name) => ['claims', name] as const),
    ...members.map((name) => ['header', name] as const),
  );
  const property = fc.asyncProperty(places, anyJson, async ([part, name], json) => {
    const token = tokenOf(part, name, json);
    const unsigned = `${token.slice(0, token.lastIndexOf('.'))}.${encode(Buffer.alloc(256))}`;
    expect([...(await ask(token)), ...(await ask(unsigned))]).toEqual([401, 401, 401, 401]);
  });
  await fc.assert(property, {
    numRuns: 200,
    examples: [
      [['claims', 'iss'], '{"toString":1}'],
      [['claims', 'exp'], '{"toString":1}'],
      [['claims', 'iss'], `${'['.repeat(2000)}${']'.repeat(2000)}`],
    ],
  });
  expect(service.output.stdout).not.toMatch(/"level":50/);
  expect(await ask(forge.forge())).toEqual([200, 200]);
});
