import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  createTemporaryFolder,
  freePort,
  runService,
  type ServiceProcess,
  startProcess,
} from '../support/process.ts';
import { scrape } from '../support/scrape.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let service: ServiceProcess;
let port: number;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  port = await freePort();
  service = await startProcess(folder.path, { METRICS_PORT: `${port}` }, 25_000);
}, 30_000);
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** The lines of its log about requests. */
const linesOf = ({ output }: ServiceProcess) =>
  output.stdout
    .split('\n')
    .filter((line) => line.endsWith('"msg":"request"}'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const call = async (path: string, init: RequestInit = {}) => (await fetch(service.url + path, init)).status;

it('count requests, their duration and token checks', async () => {
  const headers = { authorization: `Bearer ${await service.token('alice')}` };
  const json = { ...headers, 'content-type': 'application/json' };
  const post = (query: string) =>
    call('/graphql', { method: 'POST', headers: json, body: JSON.stringify({ query }) });
  const statuses = [
    await call('/api/v1/auth/keys/1', { headers }),
    await call('/api/v1/auth/keys/3', { headers }),
    await call('/api/v1/auth/keys/999', { headers }),
    await call('/api/v1/auth/private-key', { headers: { authorization: 'Bearer a.b.c' } }),
    await post('query named { apiKey(keyId: 1) { id } }'),
    await post('{ defaultApiKey { id } auditEvents { edges { node { id } } } }'),
    await call('/api/v1/keys/authorize', { headers: { 'x-api-key': 'none' } }),
    await call('/nowhere/at/all'),
  ];
  expect(statuses).toEqual([200, 200, 404, 401, 200, 200, 401, 404]);

  const metrics = await scrape(port);
  const requests = metrics.samples.filter(({ name }) => name === 'keyward_http_requests_total');
  expect(requests.map(({ labels, value }) => [...Object.values(labels), value])).toEqual([
    ['rest', 'apiKey', '/api/v1/auth/keys/{key_id}', '200', 'none', 2],
    ['rest', 'apiKey', '/api/v1/auth/keys/{key_id}', '404', 'none', 1],
    ['rest', 'privateKeyStatus', '/api/v1/auth/private-key', '401', 'token-malformed', 1],
    ['graphql', 'apiKey', '/graphql', '200', 'none', 1],
    ['graphql', 'several', '/graphql', '200', 'none', 1],
    ['forward-auth', 'none', '/api/v1/keys/authorize', '401', 'api-key-not-found', 1],
    ['other', 'none', 'none', '404', 'none', 1],
  ]);
  const ofRest = { transport: 'rest', operation: 'apiKey' };
  expect(metrics.sum('keyward_http_request_duration_seconds_count', ofRest)).toBe(3);
  expect(metrics.sum('keyward_http_request_duration_seconds_bucket', { ...ofRest, le: '10' })).toBe(3);
  const seconds = metrics.sum('keyward_http_request_duration_seconds_sum', ofRest);
  const logged = await vi.waitFor(() => {
    const found = linesOf(service).filter(({ operation }) => operation === 'apiKey');
    expect(found).toHaveLength(4);
    return found.filter(({ route }) => route !== '/graphql');
  }, 20_000);
  const milliseconds = logged.reduce((sum, line) => sum + Number(line['milliseconds']), 0);
  // The log and the metrics look at the clock each on their own; what matters is the unit.
  expect(seconds * 1000).toBeGreaterThan(milliseconds / 10);
  expect(seconds * 1000).toBeLessThan(milliseconds * 10);
  const checks = (labels: Record<string, string>) => metrics.sum('keyward_token_checks_total', labels);
  expect(checks({ outcome: 'accepted', reason: 'verified' })).toBe(1);
  expect(checks({ outcome: 'accepted', reason: 'remembered' })).toBe(4);
  expect(checks({ outcome: 'refused', reason: 'token-malformed' })).toBe(1);
});

it("show the issuer's keys, the process and the version", async () => {
  const metrics = await scrape(port);
  const issuer = `${service.url}/idp`;
  expect(metrics.sum('keyward_verification_keys', { issuer })).toBe(1);
  expect(metrics.sum('keyward_key_set_refreshes_total', { issuer, outcome: 'success' })).toBe(1);
  expect(metrics.sum('keyward_key_set_refreshes_total', { issuer, outcome: 'failure' })).toBe(0);
  expect(metrics.sum('keyward_build_info')).toBe(1);
  expect(metrics.sum('process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
  expect(metrics.sum('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
});

describe('the listener', () => {
  const at = async (path: string, init?: RequestInit) => {
    const { status, headers } = await fetch(`http://127.0.0.1:${port}${path}`, init);
    return [status, headers.get('content-type') ?? headers.get('allow')];
  };

  it('answers only at its one path', async () => {
    expect(await at('/metrics')).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(await at('/metrics', { method: 'HEAD' })).toEqual([200, expect.any(String)]);
    expect(await at('/metrics', { method: 'POST' })).toEqual([405, 'GET, HEAD']);
    for (const path of ['/', '/metrics/', '/metrics?x', '/x/metrics', '/graphql'])
      expect(await at(path)).toEqual([404, null]);
  });

  it("is separate from the service's, which has no metrics", async () => {
    expect(await call('/metrics')).toBe(404);
    expect(await call('/api/v1/metrics')).toBe(404);
  });

  it('stops the start with a message if its port is taken', async () => {
    const ended = await runService(folder.path, { DATA_DIR: 'other', PORT: '0', METRICS_PORT: `${port}` });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(
      /^Keyward cannot start .*\n {2}METRICS_PORT \d+ cannot .* \(EADDRINUSE\)\n$/,
    );
  });
});
