// An API that checks the assertion of each request itself. Its documents need a permission.
//
//   KEYWARD_URL=… AUDIENCE=… PORT=8080 node examples/typescript/check-assertion.ts
import { createServer } from 'node:http';
import { createRemoteJWKSet, jwtVerify } from 'jose';

const { KEYWARD_URL = 'http://127.0.0.1:4000', AUDIENCE = 'api', PORT = '8080' } = process.env;

interface Assertion {
  scope: string;
  keyward: { user_id: number };
}

/** Keyward's public keys. jose keeps them, and reads them again if a `kid` is new. */
const keys = createRemoteJWKSet(new URL(`${KEYWARD_URL}/.well-known/jwks.json`));

/** Returns what an assertion says. If it is not valid, this throws. */
async function checkAssertion(assertion: string): Promise<Assertion> {
  const { payload } = await jwtVerify<Assertion>(assertion, keys, {
    algorithms: ['ES256'],
    issuer: KEYWARD_URL,
    audience: AUDIENCE,
    typ: 'at+jwt',
    requiredClaims: ['exp'],
  });
  return payload;
}

/** Whether a scope has a permission, by its name or by a wildcard. */
function hasPermission(scope: string, permission: string): boolean {
  const covers = (held: string) => held.endsWith('.*') && permission.startsWith(held.slice(0, -1));
  return scope.split(' ').some((held) => held === '*' || held === permission || covers(held));
}

createServer(async (request, response) => {
  const send = (status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
  try {
    const { scope, keyward } = await checkAssertion(`${request.headers['x-keyward-assertion'] ?? ''}`);
    if (request.url !== '/documents' || hasPermission(scope, 'documents.read'))
      send(200, { user_id: keyward.user_id });
    else send(403, { detail: 'Forbidden' });
  } catch (error) {
    console.error(`${error}`);
    send(401, { detail: 'Unauthorized' });
  }
}).listen(Number(PORT), '127.0.0.1');
