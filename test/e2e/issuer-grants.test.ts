import type { GraphQLField } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { alternativesOf, holds } from '../../src/auth/required-scopes.ts';
import { scopeDescriptions } from '../../src/auth/scopes.ts';
import { writeServerCredential } from '../../src/config/values/server-credentials.ts';
import { schema } from '../../src/gateway/schema.ts';
import { type Routes, routes } from '../../src/rest/routes.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';
import { createTemporaryFolder, type ServiceProcess, startProcess } from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';
import { createServer } from '../support/servers.ts';

/** Those that reach one's own things alone. A scope that is not here must be named for an issuer that grants it. */
const ownScopes = ['openid', 'email', 'profile', 'idp.signin.user.admin'];
const allScopes = Object.keys(scopeDescriptions);
const scopesOverOthers = allScopes.filter((scope) => !ownScopes.includes(scope));

interface Operation {
  readonly name: string;
  readonly kind: 'query' | 'mutation';
  /** The sets of scopes of which a caller needs one; of each, those that reach others. */
  readonly overOthers: readonly (readonly string[])[];
}

const operationsOf = (kind: Operation['kind'], fields: Record<string, GraphQLField<unknown, unknown>> = {}) =>
  Object.entries(fields).map(([name, field]): Operation => {
    const overOthers = alternativesOf(field).map((scopes) =>
      scopes.filter((scope) => scopesOverOthers.includes(scope)),
    );
    return { name, kind, overOthers };
  });

const operations = [
  ...operationsOf('query', schema.getQueryType()?.getFields()),
  ...operationsOf('mutation', schema.getMutationType()?.getFields()),
];

/** An issuer that is trusted, and which scopes over others it may grant. */
interface Granting {
  readonly issuer: TestIssuer;
  readonly grants: readonly string[];
}

const stack = new AsyncDisposableStack();
let service: ServiceProcess;
let issuers: readonly Granting[];

beforeAll(async () => {
  const started = await Promise.all([[], [], ...scopesOverOthers.map((scope) => [scope])].map(start));
  issuers = started;
  const [first, ...others] = started as [Granting, ...Granting[]];
  const folder = stack.use(await createTemporaryFolder());
  const listed = others.map(({ issuer, grants }, index) => ({
    issuer: issuer.config.issuer,
    audience: 'keyward',
    // Of the second issuer, nothing is said.
    ...(index > 0 && { grants }),
  }));
  service = stack.use(
    await startProcess(folder.path, {
      ...secretVariables(),
      ADMIN: 'on',
      AUTH_ISSUER: first.issuer.config.issuer,
      AUTH_AUDIENCE: 'keyward',
      AUTH_ISSUERS: JSON.stringify(listed),
      RATE_LIMIT_ACCOUNT: 'off',
      RATE_LIMIT_VERIFIER: 'off',
    }),
  );
});
afterAll(() => stack.disposeAsync());

async function start(grants: readonly string[]): Promise<Granting> {
  return { issuer: stack.use(await startIssuer()), grants };
}

const callRest = async ({ name }: Operation, authorization: string): Promise<boolean> => {
  const { method, path } = (routes as Routes)[name] as Routes[string];
  const { status } = await fetch(`${service.url}/api/v1${path.replaceAll(/\{\w+\}/g, '999')}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(['POST', 'PUT', 'PATCH'].includes(method) && { body: '{}' }),
  });
  expect(status, name).not.toBe(401);
  return status !== 403;
};

/** Whoever lacks scopes learns that before anything else: nothing that the field needs is given. */
const callGraphql = async ({ name, kind }: Operation, authorization: string): Promise<boolean> => {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ query: `${kind} { ${name} }` }),
  });
  const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] };
  expect(errors[0]?.extensions.code, name).not.toBe('UNAUTHENTICATED');
  return errors[0]?.extensions.code !== 'FORBIDDEN';
};

it('a scope that nobody can have is reported at the start', async () => {
  await using folder = await createTemporaryFolder();
  const [first, second] = issuers as [Granting, Granting];
  const env = {
    ...secretVariables(),
    AUTH_ISSUER: first.issuer.config.issuer,
    AUTH_AUDIENCE: 'keyward',
    AUTH_ISSUERS: JSON.stringify([{ issuer: second.issuer.config.issuer, audience: 'keyward' }]),
  };
  const warnings = async (more: object) => {
    await using started = await startProcess(folder.path, { ...env, ...more });
    return started.output.stdout
      .split('\n')
      .flatMap((line) => (line.includes('nobody can have this scope') ? [JSON.parse(line).scope] : []));
  };
  expect(await warnings({})).toEqual(['keys.verify']);
  const grants = JSON.stringify([
    { issuer: second.issuer.config.issuer, audience: 'keyward', grants: ['keys.verify'] },
  ]);
  expect(await warnings({ AUTH_ISSUERS: grants })).toEqual([]);
  const server = writeServerCredential(createServer('checkout', 'keys.verify'));
  expect(await warnings({ SERVER_CREDENTIALS: server })).toEqual([]);
});

it.each([
  ['REST', callRest],
  ['GraphQL', callGraphql],
] as const)(
  'over %s, an issuer of several grants a scope over others only where it is named for it',
  async (_name, call) => {
    for (const scope of scopesOverOthers)
      expect(
        operations.some(({ overOthers }) => overOthers.flat().includes(scope)),
        scope,
      ).toBe(true);
    for (const { issuer, grants } of issuers) {
      const authorization = `Bearer ${await issuer.sign({ scope: allScopes.join(' ') })}`;
      for (const operation of operations) {
        const expected = operation.overOthers.some((scopes) =>
          scopes.every((scope) => holds(new Set(grants), scope)),
        );
        expect([operation.name, grants, await call(operation, authorization)]).toEqual([
          operation.name,
          grants,
          expected,
        ]);
      }
    }
  },
);
