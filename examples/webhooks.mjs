// Receives Keyward's webhooks with Node.js: each is verified by Standard Webhooks' own library, and taken once.
//
//     npm install standardwebhooks
//     WEBHOOK_SECRET=whsec_… node webhooks.mjs

import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET ?? '');

/** The ids of events that were taken: yours belong into a database, in the transaction of what they change. */
const taken = new Set();

function handle({ type, data }) {
  console.log(`${type}: user ${data.user_id}, key ${data.key_id ?? 'none'}`);
}

const server = createServer(async (request, response) => {
  const chunks = await request.toArray();
  let event;
  try {
    // The body as it came, byte for byte: JSON that was read and written again has another signature.
    event = webhook.verify(Buffer.concat(chunks).toString(), request.headers);
  } catch {
    return response.writeHead(400).end();
  }
  const id = request.headers['webhook-id'];
  if (!taken.has(id)) handle(event);
  taken.add(id);
  response.writeHead(204).end();
});

server.listen(Number(process.env.PORT ?? 9000), '127.0.0.1', () => console.log('listening'));
