import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createTemporaryFolder,
  openConnection,
  type ServiceProcess,
  startProcess,
} from '../support/process.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let service: ServiceProcess;

beforeAll(async () => {
  folder = await createTemporaryFolder();
  service = await startProcess(folder.path, {
    TRUST_PROXY: 'loopback',
    CORS_ORIGINS: 'https://app.example.com',
    PUBLIC_URL: 'https://keys.example.com',
    RATE_LIMIT_ADDRESS: '2/60',
  });
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

const send = (path: string, headers: Record<string, string>, method = 'GET') =>
  fetch(service.url + path, { method, headers });

const path = '/api/v1/auth/private-key';

describe('a running service behind a proxy', () => {
  it('limits each client that the proxy names, with 429', async () => {
    const statusesOf = async (forwardedFor: string) => {
      const statuses: number[] = [];
      for (let sent = 0; sent < 3; sent += 1)
        statuses.push((await send(path, { 'x-forwarded-for': forwardedFor })).status);
      return statuses;
    };
    expect(await statusesOf('203.0.113.1')).toEqual([401, 401, 429]);
    expect(await statusesOf('1.1.1.1, 203.0.113.2')).toEqual([401, 401, 429]);
    expect((await send(path, { 'x-forwarded-for': '2.2.2.2, 203.0.113.2' })).status).toBe(429);
    const refused = await send(path, { 'x-forwarded-for': '203.0.113.1' });
    expect(await refused.json()).toEqual({ detail: 'Too Many Requests' });
    expect(refused.headers.get('ratelimit-policy')).toBe('"address";q=2;w=60');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('answers preflights, and sends Strict-Transport-Security only if the client used TLS', async () => {
    const headers = {
      origin: 'https://app.example.com',
      'access-control-request-method': 'GET',
      'x-forwarded-proto': 'https',
    };
    const preflight = await send(path, headers, 'OPTIONS');
    expect(preflight.status).toBe(204);
    // RFC 9110, section 8.6: there is none with a 204.
    expect(preflight.headers.has('content-length')).toBe(false);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    expect(preflight.headers.get('access-control-allow-methods')).toBe('DELETE, GET, HEAD, POST');
    expect(preflight.headers.get('strict-transport-security')).toBe('max-age=31536000');
    const plain = await send('/nowhere', { 'x-forwarded-proto': 'http', 'x-forwarded-for': '203.0.113.3' });
    expect(plain.headers.has('strict-transport-security')).toBe(false);
  });

  it('sends the same headers with responses from outside the gateway', async () => {
    using connection = await openConnection(service);
    connection.write('GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n');
    const answer = (await connection.until('"}')).toLowerCase();
    for (const header of [
      'cache-control: no-store',
      "content-security-policy: default-src 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy: same-origin',
      'x-content-type-options: nosniff',
    ])
      expect(answer).toContain(header);
  });
});
