import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fetchJson } from '../../../src/auth/fetch-json.ts';
import { startProvider } from './provider-server.ts';

const mebibyte = 1024 * 1024;

let provider: Awaited<ReturnType<typeof startProvider>>;
beforeEach(async () => {
  provider = await startProvider();
});
afterEach(() => provider[Symbol.asyncDispose]());

const jsonText = (bytes: number) => `"${'a'.repeat(bytes - 2)}"`;

const redirect = (response: ServerResponse, location: string) =>
  response.writeHead(302, { location }).end('{}');

describe('reads', () => {
  it('a JSON document', async () => {
    provider.answerJson({ keys: [] });
    expect(await fetchJson(`${provider.url}/jwks`)).toEqual({ keys: [] });
    expect(provider.requests).toEqual(['/jwks']);
  });

  it('a document of 1 MiB', async () => {
    provider.answerWith((_request, response) => response.end(jsonText(mebibyte)));
    expect(await fetchJson(provider.url)).toHaveLength(mebibyte - 2);
  });
});

describe('refuses', () => {
  it('a byte more than 1 MiB', async () => {
    provider.answerWith((_request, response) => response.end(jsonText(mebibyte + 1)));
    await expect(fetchJson(provider.url)).rejects.toThrow('more than 1048576 bytes');
  });

  it('an endless body', async () => {
    provider.answerWith((_request, response) => {
      const chunk = Buffer.alloc(64 * 1024, ' ');
      const write = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', write);
      write();
    });
    await expect(fetchJson(provider.url)).rejects.toThrow('more than 1048576 bytes');
  });

  it('a redirect, and does not follow it', async () => {
    provider.answerWith((_request, response) => redirect(response, '/elsewhere'));
    await expect(fetchJson(`${provider.url}/jwks`)).rejects.toThrow();
    expect(provider.requests).toEqual(['/jwks']);
  });

  it.each([400, 404, 500, 503])('status %i', async (status) => {
    provider.answerWith((_request, response) => response.writeHead(status).end('{"keys":[]}'));
    await expect(fetchJson(provider.url)).rejects.toThrow(`status ${status}`);
  });

  it.each(['', '<html>', '{"keys":'])('a body that is no JSON: %j', async (text) => {
    provider.answerWith((_request, response) => response.end(text));
    await expect(fetchJson(provider.url)).rejects.toThrow(`no JSON from ${provider.url}`);
  });

  it('an answer that is cut off', async () => {
    provider.answerWith((_request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{}');
      setImmediate(() => response.destroy());
    });
    await expect(fetchJson(provider.url)).rejects.toThrow('terminated');
  });

  it('to wait longer than 5 seconds', async () => {
    const timeout = AbortSignal.timeout;
    const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(20));
    provider.answerWith(() => {});
    await expect(fetchJson(provider.url)).rejects.toThrow('timeout');
    expect(spy).toHaveBeenCalledWith(5000);
  });

  it.each(['http://keyward.test/jwks', 'http://192.0.2.1/', 'ftp://127.0.0.1/', 'file:///etc/hosts'])(
    '%s, without a request',
    async (url) => {
      const spy = vi.spyOn(globalThis, 'fetch');
      await expect(fetchJson(url)).rejects.toThrow('not HTTPS');
      expect(spy).not.toHaveBeenCalled();
    },
  );
});
