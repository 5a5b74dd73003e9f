// A provider's server that asks Keyward about the API key of each request. Its documents need a permission.
//
//   KEYWARD_SERVER_SECRET=… PORT=8080 node examples/typescript/verify-keys.ts
import { createServer, type ServerResponse } from 'node:http';
import { createKeyward } from '@keyward/node';
import { withApiKey } from '@keyward/node/http';

const { KEYWARD_URL = 'http://127.0.0.1:4000', KEYWARD_SERVER_SECRET = '', PORT = '8080' } = process.env;
const keyward = createKeyward({ url: KEYWARD_URL, credential: KEYWARD_SERVER_SECRET });

const send = (response: ServerResponse, body: object) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);

const profile = withApiKey(keyward, {}, ({ keyward: { user_id } }, response) => send(response, { user_id }));

const documents = withApiKey(
  keyward,
  { permissions: ['documents.read'] },
  ({ keyward: { user_id } }, response) => send(response, { user_id, documents: [] }),
);

createServer((request, response) =>
  request.url === '/documents' ? documents(request, response) : profile(request, response),
).listen(Number(PORT), '127.0.0.1');
