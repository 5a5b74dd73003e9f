// An API with Fastify.

import { apiKey } from '@keyward/node/fastify';
import fastify from 'fastify';
import { describe, keyward, listenAt, needs } from './keyward.ts';

const app = fastify();
app.get('/me', { onRequest: apiKey(keyward, needs.me) }, async (request) => describe(request.keyward));
app.get('/documents', { onRequest: apiKey(keyward, needs.documents) }, async (request) =>
  describe(request.keyward),
);
app.post('/exports', { preHandler: apiKey(keyward, needs.exports) }, async (request) =>
  describe(request.keyward),
);
app.get('/health', async () => ({ ok: true }));
void app.listen(listenAt);
