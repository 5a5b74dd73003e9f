import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type HttpBindings, serve } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { apiKey as forExpress } from '../../../../packages/node/src/express.ts';
import { apiKey as forFastify } from '../../../../packages/node/src/fastify.ts';
import { withApiKey as forFetch } from '../../../../packages/node/src/fetch.ts';
import { apiKey as forHono } from '../../../../packages/node/src/hono.ts';
import { withApiKey as forHttp } from '../../../../packages/node/src/http.ts';
import { createKeyward, type Keyward } from '../../../../packages/node/src/index.ts';
import { withApiKey as forNext } from '../../../../packages/node/src/next.ts';
import { refusedKey, startStandIn, validKey } from '../../../support/stand-in-keyward.ts';

const needs = { permissions: ['documents.read'], cost: 2 };
const express4: typeof express = createRequire(import.meta.url)('express-4');

const createExpress = (make: typeof express) => (keyward: Keyward) => {
  const app = make();
  app.post('/', forExpress(keyward, needs), (request, response) => {
    response.json(request.keyward);
  });
  return createServer(app).listen(0, '127.0.0.1');
};

/** How Hono's server listens. Other tests of this process need the `Request` of Node. */
const listening = { port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false };

/** Starts an application on each adapter, which answers with what it knows of the caller. */
const adapters: Record<string, (keyward: Keyward) => Server | Promise<Server>> = {
  'Express 5': createExpress(express),
  'Express 4': createExpress(express4),
  Fastify: (keyward) => {
    const app = fastify();
    app.post('/', { onRequest: forFastify(keyward, needs) }, async (request) => request.keyward);
    return app.listen({ port: 0, host: '127.0.0.1' }).then(() => app.server);
  },
  'Fastify, before the handler': (keyward) => {
    const app = fastify();
    app.post('/', { preHandler: forFastify(keyward, needs) }, async (request) => request.keyward);
    return app.listen({ port: 0, host: '127.0.0.1' }).then(() => app.server);
  },
  Hono: (keyward) => {
    const app = new Hono();
    const address = (c: Parameters<typeof getConnInfo>[0]) => getConnInfo(c).remote.address;
    app.post('/', forHono(keyward, { ...needs, address }), (c) => c.json(c.get('keyward')));
    return serve({ ...listening, fetch: app.fetch }) as Server;
  },
  'node:http': (keyward) =>
    createServer(
      forHttp(keyward, needs, (request, response) => response.end(JSON.stringify(request.keyward))),
    ).listen(0, '127.0.0.1'),
  Fetch: (keyward) => {
    const address = (_request: Request, { incoming }: HttpBindings) => incoming.socket.remoteAddress;
    const handler = forFetch(keyward, { ...needs, address }, (_request, { keyward }) =>
      Response.json(keyward),
    );
    return serve({
      fetch: (request, bindings) => handler(request, bindings as HttpBindings),
      ...listening,
    }) as Server;
  },
  'Next.js': (keyward) => {
    const address = () => '127.0.0.1';
    const handler = forNext(keyward, { ...needs, address }, (_request, { keyward }) =>
      Response.json(keyward),
    );
    return serve({
      fetch: (request) => handler(request, { params: Promise.resolve({}) }),
      ...listening,
    }) as Server;
  },
};

/** Sends a request with these fields, as they are. */
async function send(server: Server, headers: readonly string[], method = 'POST') {
  if (!server.listening) await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const fields = ['host', `127.0.0.1:${port}`, 'content-length', '0', ...headers];
  const sent = request({ host: '127.0.0.1', port, path: '/', method, headers: fields, agent: false }).end();
  const [response] = await once(sent, 'response');
  const body = await text(response);
  return { status: response.statusCode, headers: response.headers, body };
}

describe.each(Object.entries(adapters))('%s', (_name, start) => {
  let standIn: Awaited<ReturnType<typeof startStandIn>>;
  let server: Server;

  beforeAll(async () => {
    standIn = await startStandIn(({ key }) => (key === 'good' ? validKey : refusedKey(`${key}`)));
    const keyward = createKeyward({
      url: standIn.url,
      credential: 'kws_x',
      timeout: 1000,
      onError: () => {},
    });
    server = await start(keyward);
  });
  afterAll(async () => {
    server.close();
    await standIn[Symbol.asyncDispose]();
  });

  it('a valid key → the handler, with the verification', async () => {
    const { status, body } = await send(server, ['X-API-Key', 'good']);
    expect([status, JSON.parse(body)]).toEqual([200, validKey]);
    expect(standIn.asked.at(-1)?.question).toEqual({ key: 'good', ...needs, address: '127.0.0.1' });
  });

  it('no key → 401', async () => {
    const { status, headers, body } = await send(server, []);
    expect(status).toBe(401);
    expect(headers).toMatchObject({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'www-authenticate': 'Bearer realm="api"',
    });
    expect(JSON.parse(body)).toEqual({
      title: 'Unauthorized',
      status: 401,
      detail: 'Not authenticated',
      reason: 'no_api_key',
    });
  });

  it('a key that lacks a permission → 403', async () => {
    const { status, body } = await send(server, ['authorization', 'Bearer insufficient_permissions']);
    expect(status).toBe(403);
    expect(JSON.parse(body).detail).toBe('The API key needs the permissions: documents.read');
  });

  it.each([
    [['x-api-key', 'good', 'x-api-key', 'good'], 200],
    [['x-api-key', 'good', 'X-Api-Key', 'other'], 401],
    [['authorization', 'Bearer good', 'authorization', 'Bearer good'], 200],
    [['authorization', 'Bearer good', 'authorization', 'Bearer other'], 401],
    [['authorization', 'Bearer good', 'authorization', 'Basic other'], 401],
    [['authorization', 'Bearer good', 'x-api-key', 'other'], 401],
    [['authorization', 'Basic eDp5', 'x-api-key', 'good'], 200],
    [['x-api-key', 'sch\xfcssel'], 401],
    [['x-api-key', 'a'.repeat(2000)], 401],
  ])('%j → %i', async (headers, status) => {
    expect((await send(server, headers)).status).toBe(status);
  });

  it('Keyward is away → 503, and no crash', async () => {
    await standIn[Symbol.asyncDispose]();
    const { status, headers, body } = await send(server, ['x-api-key', 'good']);
    expect(status).toBe(503);
    expect(headers['retry-after']).toBe('1');
    expect(JSON.parse(body).reason).toBe('unavailable');
    standIn = await startStandIn(() => validKey, standIn.port);
    expect((await send(server, ['x-api-key', 'good'])).status).toBe(200);
  });
});

describe('handlers', () => {
  const pass = { check: () => async () => ({ caller: validKey as never }) };
  const refuse = { check: () => async () => ({ refusal: { status: 401, headers: {}, body: '{}' } }) };

  it.each([['Express 5', express] as const, ['Express 4', express4] as const])(
    '%s: one that fails → the handler of errors',
    async (_name, make) => {
      const app = make();
      app.use(forExpress(pass, {}), () => {
        throw new Error('broken');
      });
      const handle: express.ErrorRequestHandler = (_error, _request, response, _next) => {
        response.status(500).end('handled');
      };
      app.use(handle);
      const server = createServer(app).listen(0, '127.0.0.1');
      expect(await send(server, [])).toMatchObject({ status: 500, body: 'handled' });
      server.close();
    },
  );

  it.each([['Express 5', express] as const, ['Express 4', express4] as const])(
    '%s: an answer that somebody has sent meanwhile → stays',
    async (_name, make) => {
      const app = make();
      app.use(
        (_request, response, next) => {
          response.end('first');
          next();
        },
        forExpress(refuse, {}),
      );
      const server = createServer(app).listen(0, '127.0.0.1');
      expect(await send(server, [])).toMatchObject({ status: 200, body: 'first' });
      server.close();
    },
  );

  it('Express: a check that fails → the handler of errors', async () => {
    const broken = { check: () => () => Promise.reject(new Error('broken')) };
    const next = vi.fn();
    forExpress(broken, {})({ headers: {} } as never, {} as never, next);
    await expect.poll(() => next.mock.calls).toEqual([[new Error('broken')]]);
  });

  it('node:http: an answer that somebody has sent meanwhile → stays', async () => {
    const listener = forHttp(refuse, {}, () => {});
    await expect(listener({ socket: {} } as never, { headersSent: true } as never)).resolves.toBeUndefined();
  });

  it('HEAD → no body', async () => {
    const server = createServer(forHttp(refuse, {}, () => {})).listen(0, '127.0.0.1');
    expect(await send(server, [], 'HEAD')).toMatchObject({ status: 401, body: '' });
    server.close();
  });

  it('node:http: one that fails → the promise fails', async () => {
    const listener = forHttp(pass, {}, async () => {
      throw new Error('broken');
    });
    await expect(listener({ socket: {} } as never, {} as never)).rejects.toThrow('broken');
  });

  it('node:http: the address from a header', async () => {
    const addresses: (string | undefined)[] = [];
    const check = async (_request: unknown, address?: string) => {
      addresses.push(address);
      return { caller: validKey as never };
    };
    const address = ({ headers }: { headers: NodeJS.Dict<string | string[]> }) => `${headers['x-real-ip']}`;
    const server = createServer(
      forHttp({ check: () => check }, { address }, (_request, response) => response.end()),
    ).listen(0, '127.0.0.1');
    await send(server, ['x-real-ip', '192.0.2.7']);
    expect(addresses).toEqual(['192.0.2.7']);
    server.close();
  });

  it('Next.js: the context of the route, and the verification', async () => {
    const handler = forNext<{ params: Promise<{ id: string }> }>(pass, {}, async (_request, context) =>
      Response.json({ ...(await context.params), user: context.keyward.user_id }),
    );
    const response = await handler(new Request('http://x'), { params: Promise.resolve({ id: '7' }) });
    expect(await response.json()).toEqual({ id: '7', user: 1 });
  });

  it('needs that are malformed → refused when the route is set up', () => {
    const keyward = createKeyward({ url: 'http://127.0.0.1:1', credential: 'x' });
    const wrong = { permission: [] } as never;
    expect(() => forExpress(keyward, wrong)).toThrow(TypeError);
    expect(() => forFastify(keyward, wrong)).toThrow(TypeError);
    expect(() => forHono(keyward, wrong)).toThrow(TypeError);
    expect(() => forHttp(keyward, wrong, () => {})).toThrow(TypeError);
    expect(() => forFetch(keyward, wrong, () => new Response())).toThrow(TypeError);
    expect(() => forNext(keyward, wrong, () => new Response())).toThrow(TypeError);
    expect(() => forExpress(keyward, undefined as never)).toThrow(TypeError);
  });
});
