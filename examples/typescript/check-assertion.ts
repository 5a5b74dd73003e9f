// An API that checks the assertion of each request itself, and asks nobody. Its documents need a permission.
//
//   KEYWARD_URL=… AUDIENCE=… PORT=8080 node examples/typescript/check-assertion.ts
import { createServer, type ServerResponse } from 'node:http';
import { createAssertions } from '@keyward/node/assertions';
import { withApiKey } from '@keyward/node/http';

const { KEYWARD_URL = 'http://127.0.0.1:4000', AUDIENCE = 'api', PORT = '8080' } = process.env;
const assertions = createAssertions({ issuer: KEYWARD_URL, audience: AUDIENCE });

const send = (response: ServerResponse, body: object) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);

const profile = withApiKey(assertions, {}, ({ keyward: { user_id } }, response) =>
  send(response, { user_id }),
);

const documents = withApiKey(
  assertions,
  { permissions: ['documents.read'] },
  ({ keyward: { user_id } }, response) => send(response, { user_id }),
);

createServer((request, response) =>
  request.url === '/documents' ? documents(request, response) : profile(request, response),
).listen(Number(PORT), '127.0.0.1');
