// An API with Express 5.

import { apiKey } from '@keyward/node/express';
import express from 'express';
import { describe, keyward, listenAt, needs } from './keyward.ts';

const app = express();
app.get('/me', apiKey(keyward, needs.me), (request, response) => {
  response.json(describe(request.keyward));
});
app.get('/documents', apiKey(keyward, needs.documents), (request, response) => {
  response.json(describe(request.keyward));
});
app.post('/exports', apiKey(keyward, needs.exports), (request, response) => {
  response.json(describe(request.keyward));
});
app.get('/health', (_request, response) => {
  response.json({ ok: true });
});
app.listen(listenAt.port, listenAt.host);
