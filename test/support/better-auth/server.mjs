// A whole OpenID provider by better-auth, with its data in memory. It prints, as JSON, its URL and that of a client.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { oauthProvider } from '@better-auth/oauth-provider';
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { toNodeHandler } from 'better-auth/node';
import { jwt } from 'better-auth/plugins';

const tables = ['user', 'session', 'account', 'verification', 'jwks'];
const oauth = [
  'Client',
  'AccessToken',
  'RefreshToken',
  'Consent',
  'Resource',
  'ClientResource',
  'ClientAssertion',
];

const server = createServer((request, response) => handler(request, response)).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;

const auth = betterAuth({
  baseURL: url,
  secret: 'of this test alone, 32 characters and more',
  database: memoryAdapter(
    Object.fromEntries([...tables, ...oauth.map((name) => `oauth${name}`)].map((name) => [name, []])),
  ),
  emailAndPassword: { enabled: true },
  disabledPaths: ['/token'],
  plugins: [
    jwt(),
    oauthProvider({
      loginPage: '/sign-in',
      consentPage: '/consent',
      scopes: ['openid', 'email', 'profile', 'idp.signin.user.admin'],
      resources: ['https://keyward.example.com'],
      enforcePerClientResources: false,
    }),
  ],
});
const handler = toNodeHandler(auth);

const operator = await auth.api.signUpEmail({
  body: { email: 'operator@example.com', password: 'correct horse', name: 'Operator' },
  asResponse: true,
});
const cookie = operator.headers
  .getSetCookie()
  .map((each) => each.split(';')[0])
  .join('; ');
const { client_id: clientId } = await auth.api.adminCreateOAuthClient({
  headers: new Headers({ cookie }),
  body: {
    redirect_uris: ['https://app.example.com/callback'],
    token_endpoint_auth_method: 'none',
    skip_consent: true,
    scope: 'openid email profile idp.signin.user.admin',
  },
});
process.stdout.write(`${JSON.stringify({ url, clientId })}\n`);
