import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CollectedSpan, startCollector } from '../support/collector.ts';
import { createTemporaryFolder, freePort, startProcess } from '../support/process.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
beforeAll(async () => {
  folder = await createTemporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const traceId = '0af7651916cd43dd8448eb211c80319c';
const callersSpan = 'b7ad6b7169203331';
const trace = { traceparent: `00-${traceId}-${callersSpan}-01`, tracestate: 'vendor=opaque' };

const start = (endpoint: string, env: Record<string, string> = {}) =>
  startProcess(
    folder.path,
    { DATABASE_URL: 'sqlite::memory:', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...env },
    25_000,
  );

const linesOf = ({ output }: { output: { stdout: string } }) =>
  output.stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('traces', () => {
  it('reach a collector when the service stops, each span below its parent', async () => {
    await using collector = await startCollector();
    await using service = await start(collector.url, {
      OTEL_SERVICE_NAME: 'keys',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=of-the-collector',
    });
    const headers = { ...trace, authorization: `Bearer ${await service.token('alice')}` };
    const response = await fetch(`${service.url}/api/v1/auth/keys/2?canary7f3a`, {
      method: 'DELETE',
      headers,
    });
    expect(response.status).toBe(200);
    service.signal('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, stderr: '' });

    expect(collector.resources[0]).toMatchObject({
      'service.name': 'keys',
      'service.version': expect.stringMatching(/^\d+\.\d+\.\d+$/),
      'deployment.environment.name': 'test',
    });
    expect(collector.headers[0]).toMatchObject({ path: '/v1/traces', 'x-api-key': 'of-the-collector' });
    const ours = collector.spans.filter((span) => span.traceId === traceId);
    const byName = new Map(ours.map((span) => [span.name, span]));
    const parentOf = ({ parentSpanId }: CollectedSpan) =>
      ours.find(({ spanId }) => spanId === parentSpanId)?.name ?? parentSpanId;
    expect(Object.fromEntries(ours.map((span) => [span.name, parentOf(span)]))).toEqual({
      'DELETE /api/v1/auth/keys/{key_id}': callersSpan,
      'verify access token': 'DELETE /api/v1/auth/keys/{key_id}',
      'mutation deactivateApiKey': 'DELETE /api/v1/auth/keys/{key_id}',
      'SELECT api_key account api_key_quota': 'mutation deactivateApiKey',
      TRANSACTION: 'mutation deactivateApiKey',
      'UPDATE api_key account api_key_quota': 'TRANSACTION',
      'INSERT audit_event account': 'TRANSACTION',
    });
    expect(new Set(ours.map(({ traceState }) => traceState))).toEqual(new Set(['vendor=opaque']));
    expect(byName.get('DELETE /api/v1/auth/keys/{key_id}')).toMatchObject({
      kind: 2,
      attributes: {
        'http.request.method': 'DELETE',
        'http.route': '/api/v1/auth/keys/{key_id}',
        'http.response.status_code': 200,
        'url.scheme': 'http',
      },
    });
    expect(byName.get('UPDATE api_key account api_key_quota')).toMatchObject({
      kind: 3,
      attributes: {
        'db.system.name': 'sqlite',
        'db.operation.name': 'UPDATE',
        'db.query.summary': 'UPDATE api_key account api_key_quota',
      },
    });
    expect(collector.text()).not.toMatch(/canary7f3a|alice|Bearer/);

    const server = byName.get('DELETE /api/v1/auth/keys/{key_id}');
    const lines = linesOf(service).filter((line) => line['traceId'] === traceId);
    expect(lines.map(({ msg }) => msg)).toEqual(['api-key-deactivated', 'request']);
    expect(lines.map(({ spanId }) => spanId)).toEqual([server?.spanId, server?.spanId]);
  });

  it.each([
    ['a sampler that takes none', { OTEL_TRACES_SAMPLER: 'always_off' }, {}],
    ['a caller that is not traced itself', {}, { traceparent: `00-${traceId}-${callersSpan}-00` }],
    ['a ratio of 0', { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }, trace],
  ])('are not sent for %s', async (_what, env, headers) => {
    await using collector = await startCollector();
    await using service = await start(collector.url, env);
    const token = await service.token('alice');
    await fetch(`${service.url}/api/v1/auth/keys`, {
      headers: { ...headers, authorization: `Bearer ${token}` },
    });
    service.signal('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0 });
    const [line] = linesOf(service).filter(({ route }) => route === '/api/v1/auth/keys');
    expect(collector.spans.filter((span) => span.traceId === line?.['traceId'])).toEqual([]);
    expect(line?.['traceId']).toMatch(/^[\da-f]{32}$/);
  });
});

describe('a collector', () => {
  const callMany = async (url: string, count: number) => {
    for (let index = 0; index < count; index += 1) await fetch(`${url}/nowhere`);
  };

  it('that is unreachable delays nothing and is reported once', async () => {
    const port = await freePort();
    await using service = await start(`http://127.0.0.1:${port}`, { OTEL_EXPORTER_OTLP_TIMEOUT: '300' });
    // More than a batch, so that one is sent at once, and another.
    await callMany(service.url, 520);
    await delay(600);
    await callMany(service.url, 520);
    await delay(600);
    service.signal('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, stderr: '' });
    const warnings = linesOf(service).filter(({ level }) => Number(level) >= 40);
    expect(warnings).toMatchObject([{ level: 40, msg: 'could not send traces; dropped them' }]);
    expect(linesOf(service).filter(({ msg }) => msg === 'request').length).toBeGreaterThanOrEqual(1040);
  });

  it('that never answers does not hinder the stop', async () => {
    await using collector = await startCollector(() => {});
    await using service = await start(collector.url, { OTEL_EXPORTER_OTLP_TIMEOUT: '500' });
    await callMany(service.url, 5);
    service.signal('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, stderr: '' });
    expect(collector.spans.length).toBeGreaterThanOrEqual(5);
  });
});

it('without a collector, the log has the trace that a caller names', async () => {
  await using service = await startProcess(folder.path, { DATABASE_URL: 'sqlite::memory:' }, 25_000);
  await fetch(`${service.url}/nowhere`, { headers: trace });
  await fetch(`${service.url}/nowhere`);
  service.signal('SIGTERM');
  await service.ended;
  const [named, unnamed] = linesOf(service).filter(({ msg }) => msg === 'request');
  expect(named).toMatchObject({ traceId });
  expect(named).not.toHaveProperty('spanId');
  expect(unnamed).not.toHaveProperty('traceId');
});
