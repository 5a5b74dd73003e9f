// Receives Keyward's webhooks with Node.js, and handles each message once.
//
//     WEBHOOK_SECRET=whsec_… node webhooks.mjs

import { createServer } from 'node:http';
import { verifyWebhook } from '@keyward/node/webhooks';

const { WEBHOOK_SECRET = '', PORT = '9000' } = process.env;

/** The most bytes of a body: no message of Keyward's is longer. */
const longestBody = 100_000;

/**
 * The ids of the messages that were handled. In your server, store them in the database, in the same transaction as the
 * change that the message causes.
 */
const handled = new Set();

function handle({ type, data }) {
  console.log(`${type}: user ${data.user_id}, key ${data.key_id ?? 'none'}`);
}

/** Reads a body as it came, byte for byte: JSON that was read and written again has another signature. */
async function readBody(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > longestBody) throw new Error('The body is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const server = createServer(async (request, response) => {
  let event;
  try {
    event = await verifyWebhook(request.headers, await readBody(request), WEBHOOK_SECRET);
  } catch {
    // Also if the sender has gone away.
    return response.writeHead(400, { connection: 'close' }).end();
  }
  const id = request.headers['webhook-id'];
  if (!handled.has(id)) handle(event);
  handled.add(id);
  response.writeHead(204).end();
});

server.listen(Number(PORT), '127.0.0.1', () => console.log('listening'));
