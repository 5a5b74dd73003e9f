// A provider by better-auth, with its data in a SQLite database in memory. It issues access tokens as an OpenID provider,
// or with the argument `session` the tokens of its plugin jwt. It prints, as JSON, its URL and that of a client.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { oauthProvider } from '@better-auth/oauth-provider';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import { jwt, organization } from 'better-auth/plugins';

const issuesSessionTokens = process.argv[2] === 'session';

const server = createServer((request, response) => handler(request, response)).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;

/** The claim `organizations`: {"<id>": {"role": ["owner"], "name": "Acme"}}. */
async function organizationsOf(user) {
  const { adapter } = await auth.$context;
  const memberships = await adapter.findMany({
    model: 'member',
    where: [{ field: 'userId', value: user.id }],
  });
  const entries = memberships.map(async ({ organizationId: id, role }) => {
    const { name } = await adapter.findOne({ model: 'organization', where: [{ field: 'id', value: id }] });
    return [id, { role: role.split(','), name }];
  });
  return Object.fromEntries(await Promise.all(entries));
}

const sessionTokens = [
  organization(),
  jwt({ jwt: { definePayload: async ({ user }) => ({ organizations: await organizationsOf(user) }) } }),
];

const accessTokens = [
  organization(),
  jwt({ disableSettingJwtHeader: true }),
  oauthProvider({
    loginPage: '/sign-in',
    consentPage: '/consent',
    scopes: ['openid', 'email', 'profile', 'idp.signin.user.admin'],
    resources: ['https://keyward.example.com'],
    enforcePerClientResources: false,
    customAccessTokenClaims: async ({ user }) => (user ? { organizations: await organizationsOf(user) } : {}),
  }),
];

const options = {
  baseURL: url,
  secret: 'of this test alone, 32 characters and more',
  database: new DatabaseSync(':memory:'),
  emailAndPassword: { enabled: true },
  disabledPaths: issuesSessionTokens ? [] : ['/token'],
  plugins: issuesSessionTokens ? sessionTokens : accessTokens,
};
await (await getMigrations(options)).runMigrations();
const auth = betterAuth(options);
const handler = toNodeHandler(auth);

/** Registers the application that people sign in to. */
async function createClient() {
  const operator = await auth.api.signUpEmail({
    body: { email: 'operator@example.com', password: 'correct horse', name: 'Operator' },
    asResponse: true,
  });
  const cookies = operator.headers.getSetCookie().map((each) => each.split(';')[0]);
  const { client_id } = await auth.api.adminCreateOAuthClient({
    headers: new Headers({ cookie: cookies.join('; ') }),
    body: {
      redirect_uris: ['https://app.example.com/callback'],
      token_endpoint_auth_method: 'none',
      skip_consent: true,
      scope: 'openid email profile idp.signin.user.admin',
    },
  });
  return client_id;
}

const clientId = issuesSessionTokens ? null : await createClient();
process.stdout.write(`${JSON.stringify({ url, clientId })}\n`);
