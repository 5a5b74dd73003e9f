import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMetrics } from '../../src/observability/metrics/create-metrics.ts';
import { createTracing } from '../../src/observability/tracing/tracing.ts';
import { createAssertionKey } from '../../src/secrets/assertion-keys.ts';
import { canaryNumber, type Song, sing } from '../support/canary.ts';
import { dropTable, refuseAccounts } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const metrics = createMetrics({ dropped: 0 });
const exporter = new InMemorySpanExporter();
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
const tracing = createTracing(provider.getTracer('test'), 'test');
const assertions = { keys: [createAssertionKey('a')], audiences: ['api'], seconds: 60 } as const;
const setup = setUpGateway({ assertions, telemetry: { metrics: metrics.requests, tracing } });
beforeEach(() => exporter.reset());

const exchange = {
  grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
  subject_token_type: 'urn:keyward:params:oauth:token-type:api-key',
};

const spans = () =>
  exporter.getFinishedSpans().map((span) => ({
    ...{ name: span.name, attributes: span.attributes, status: span.status, events: span.events },
    ...{ context: span.spanContext(), parent: span.parentSpanContext?.spanId },
  }));

/** All that is told of requests, in one text. */
const told = async () => JSON.stringify([setup.gateway.log(), await metrics.registry.metrics(), spans()]);

const requestLines = () => setup.gateway.log().filter(({ msg }) => msg === 'request');

const canaries = new RegExp(`canary7f3a|${canaryNumber}|${canaryNumber / 1e5}`, 'i');

describe('logs, metrics and traces', () => {
  const expectNoCanary = async ({ tokens, requests, refusals }: Song) => {
    const text = await told();
    expect(text).not.toMatch(canaries);
    for (const answer of refusals) {
      expect(answer.body.errors ?? answer.body.detail).toBeDefined();
      expect(answer.text).not.toMatch(canaries);
    }
    for (const part of tokens.join('.').split('.')) expect(text).not.toContain(part);
    expect(requestLines()).toHaveLength(requests);
    expect(spans().filter(({ name }) => /^(GET|POST|PUT|DELETE)\b/.test(name))).toHaveLength(requests);
  };

  it('contain nothing that a caller wrote', async () => {
    await expectNoCanary(await sing(setup, 'canary7f3a'));
  });

  it.each(['account', 'automation_settings'])(
    'contain nothing that a caller wrote if the table %s is missing',
    async (table) => {
      await dropTable(setup.gateway.database, table);
      await expectNoCanary(await sing(setup, 'canary7f3a'));
      // The failure itself was there to be told.
      expect(setup.gateway.log()).toContainEqual(
        expect.objectContaining({ error: expect.objectContaining({ type: 'TableNotFoundException' }) }),
      );
      expect(spans()).toContainEqual(
        expect.objectContaining({
          attributes: expect.objectContaining({ 'error.type': 'TableNotFoundException' }),
        }),
      );
    },
  );

  it('contain nothing that a caller wrote if the database repeats it in an error', async () => {
    await using _refusal = await refuseAccounts(setup.gateway.database);
    await expectNoCanary(await sing(setup, 'canary7f3a'));
    expect(setup.gateway.log()).toContainEqual(
      expect.objectContaining({ level: 50, error: expect.objectContaining({ code: expect.any(String) }) }),
    );
  });

  it('contain no line that a caller forged', async () => {
    const forged = 'canary7f3a\r\n{"level":30,"msg":"request","status":200,"forged":true}\r\n';
    await expectNoCanary(await sing(setup, forged));
    expect(setup.gateway.log().filter((line) => 'forged' in line)).toEqual([]);
  });

  it('contain no API key, no assertion and no private key in normal operation', async () => {
    const token = await setup.sign();
    const privateKey = 'ca7f'.repeat(16);
    const { rest } = setup.gateway;
    const registered = await rest('POST', '/auth/private-key', { token, json: { private_key: privateKey } });
    const { body: created } = await rest('POST', '/auth/keys', { token, json: { name: 'canary7f3a' } });
    const verifier = await setup.sign({ scope: 'keys.verify' });
    const verified = await rest('POST', '/keys/verify', {
      token: verifier,
      json: { key: created.key, assertion: true },
    });
    const exchanged = await rest('POST', '/oauth/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `${new URLSearchParams({ ...exchange, subject_token: created.key })}`,
    });
    const passed = await rest('GET', '/keys/authorize', { headers: { 'x-api-key': created.key } });
    const answers = [registered, verified, passed, exchanged].map(({ status }) => status);
    expect([...answers, verified.body.valid]).toEqual([201, 200, 200, 200, true]);
    const signed = [
      verified.body.assertion,
      exchanged.body.access_token,
      passed.headers.get('x-keyward-assertion'),
    ];
    const text = await told();
    const parts = signed.flatMap((each) => each.split('.').slice(1));
    expect(parts).toHaveLength(6);
    for (const secret of [token, verifier, privateKey, created.key, 'canary7f3a', ...parts])
      expect(text).not.toContain(secret);
    expect(text).not.toContain(created.key.split('.')[1]);
  });
});

describe('the labels of request metrics', () => {
  it('a thousand different requests add no more series than one', async () => {
    const token = await setup.sign();
    const send = (word: string) =>
      Promise.all([
        setup.gateway.rest('DELETE', `/auth/keys/${word}`, { token }),
        setup.gateway.rest('GET', `/${word}`, { token }),
        setup.gateway.fetch('GET', `/${word}`),
        setup.gateway.graphql(`query q${word} { a${word}: privateKeyStatus { hasKey } }`, { token }),
        setup.gateway.graphql(`{ f${word} }`, { token }),
        setup.gateway.rest('GET', '/auth/private-key', { token: `${word}.b.c` }),
      ]);
    const series = async () => (await metrics.registry.metrics()).match(/^keyward_.*(?= )/gm);
    await send('100');
    const before = await series();
    expect(before?.length).toBeGreaterThan(20);
    for (let word = 101; word < 300; word += 1) await send(`${word}`);
    expect(await series()).toEqual(before);
  });
});

describe('spans', () => {
  const names = () => {
    const byId = new Map(spans().map((span) => [span.context.spanId, span]));
    return spans()
      .map(({ name, parent }) => `${byId.get(parent ?? '')?.name ?? ''} > ${name}`)
      .sort();
  };

  it('are nested as the work is: over REST', async () => {
    await setup.gateway.rest('PUT', '/automation/settings', { token: await setup.sign(), json: {} });
    expect(names()).toEqual([
      ' > PUT /api/v1/automation/settings',
      'PUT /api/v1/automation/settings > mutation updateAutomationSettings',
      'PUT /api/v1/automation/settings > verify access token',
      'TRANSACTION > INSERT account',
      'TRANSACTION > INSERT audit_event account',
      'TRANSACTION > INSERT automation_settings account',
      'TRANSACTION > SELECT account',
      'TRANSACTION > SELECT automation_settings account',
      'mutation updateAutomationSettings > TRANSACTION',
    ]);
  });

  it('are nested as the work is: over GraphQL', async () => {
    await setup.gateway.graphql('query Q { privateKeyStatus { hasKey } }', { token: await setup.sign() });
    expect(names()).toEqual([
      ' > POST /graphql',
      'POST /graphql > query privateKeyStatus',
      'POST /graphql > verify access token',
      'query privateKeyStatus > SELECT account private_key',
    ]);
  });

  it('are nested as the work is: for a reverse proxy', async () => {
    const key = `sk-abcdef.${'0'.repeat(64)}`;
    await setup.gateway.rest('GET', '/keys/authorize', { headers: { 'x-api-key': key } });
    expect(names()).toEqual([' > GET /api/v1/keys/authorize']);
    exporter.reset();
    const { body } = await setup.gateway.rest('POST', '/auth/keys', { token: await setup.sign(), json: {} });
    exporter.reset();
    await setup.gateway.rest('GET', '/keys/authorize', { headers: { 'x-api-key': body.key } });
    expect(names()).toEqual([
      ' > GET /api/v1/keys/authorize',
      'GET /api/v1/keys/authorize > SELECT api_key_secret api_key account api_key_quota account_quota automation_settings',
    ]);
  });

  it('say how a token was accepted, and why one was refused', async () => {
    const token = await setup.sign({ jti: 'one that was never seen' });
    const expired = await setup.sign({ exp: 1000 });
    for (const each of [token, token, expired])
      await setup.gateway.rest('GET', '/auth/keys', { token: each });
    const checks = spans().filter(({ name }) => name === 'verify access token');
    expect(checks.map(({ attributes }) => attributes)).toEqual([
      { 'keyward.token': 'verified' },
      { 'keyward.token': 'remembered' },
      { 'error.type': 'token-expired' },
    ]);
    expect(spans().at(-1)?.attributes).toEqual({
      'http.request.method': 'GET',
      'url.scheme': 'http',
      'http.route': '/api/v1/auth/keys',
      'http.response.status_code': 401,
      'keyward.operation': 'apiKeys',
      'keyward.reason': 'token-expired',
    });
    // A caller's fault is not the service's.
    expect(spans().at(-1)?.status.code).toBe(0);
  });

  it.each([
    ['is not valid', '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01', undefined],
    ['is valid', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'b7ad6b7169203331'],
  ])(
    "are below the caller's span only if its traceparent is valid: it %s",
    async (_what, traceparent, parent) => {
      await setup.gateway.rest('GET', '/auth/keys', { headers: { traceparent } });
      const [span] = spans();
      expect(span?.parent).toBe(parent);
      expect(requestLines()[0]).toMatchObject({
        traceId: span?.context.traceId,
        spanId: span?.context.spanId,
      });
    },
  );
});

describe("a client's address", () => {
  /** What the lines of two requests say of it, of which one comes through a proxy that is trusted. */
  const logged = async (logsAddress: boolean) => {
    const edge = { trustedProxies: ['10.0.0.0/8'] };
    await using gateway = await createTestGateway(setup.issuer, { edge, logsAddress });
    await gateway.rest('GET', '/auth/keys', { address: '192.0.2.1' });
    const headers = { 'x-forwarded-for': '198.51.100.9, 2001:db8::7' };
    await gateway.rest('GET', '/auth/keys', { address: '10.0.0.1', headers });
    return gateway.log().filter(({ msg }) => msg === 'request');
  };

  it('is in no log line by default', async () => {
    const lines = await logged(false);
    expect(lines).toHaveLength(2);
    expect(JSON.stringify(lines)).not.toMatch(/192\.0|10\.0|198\.51|2001:/);
  });

  it("is the client's; behind a proxy, the one that the proxy sends", async () => {
    const lines = await logged(true);
    expect(lines.map(({ clientAddress }) => clientAddress)).toEqual(['192.0.2.1', '2001:db8::7']);
  });
});
