// An API with Hono, on Node.
import { serve } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import { apiKey } from '@keyward/node/hono';
import { type Context, Hono } from 'hono';
import { describe, keyward, listenAt, needs } from './keyward.ts';

const address = (c: Context) => getConnInfo(c).remote.address;

const app = new Hono();
app.get('/me', apiKey(keyward, { ...needs.me, address }), (c) => c.json(describe(c.get('keyward'))));
app.get('/documents', apiKey(keyward, { ...needs.documents, address }), (c) =>
  c.json(describe(c.get('keyward'))),
);
app.post('/exports', apiKey(keyward, { ...needs.exports, address }), (c) =>
  c.json(describe(c.get('keyward'))),
);
app.get('/health', (c) => c.json({ ok: true }));
serve({ fetch: app.fetch, port: listenAt.port, hostname: listenAt.host });
