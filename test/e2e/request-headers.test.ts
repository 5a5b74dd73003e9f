import { globSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTemporaryFolder, root, type ServiceProcess, startProcess } from '../support/process.ts';
import { type RawAnswer, sendRaw } from '../support/raw-http.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let service: ServiceProcess;
let token: string;

const origin = 'https://app.example.com';

beforeAll(async () => {
  folder = await createTemporaryFolder();
  // All that reads a header is there.
  service = await startProcess(folder.path, {
    TRUST_PROXY: 'loopback',
    CORS_ORIGINS: origin,
    PUBLIC_URL: 'https://keys.example.com',
    RATE_LIMIT_ADDRESS: '1000000/60',
    RATE_LIMIT_ACCOUNT: '1000000/60',
    HTTP_HEADERS_TIMEOUT: '1',
    HTTP_REQUEST_TIMEOUT: '1',
    LOG_LEVEL: 'warn',
  });
  token = await service.token('alice');
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** It stands in what is sent, and must stand in no answer. */
const canary = 'cAnArY7f3a';

const [asset = ''] = globSync('assets/index-*.js', { cwd: join(root, 'dist/web') });
const query = encodeURIComponent('{ automationSettings { isEnabled } }');

interface Target {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

/** A path for each way in which a request can go. */
const targets: readonly Target[] = [
  { method: 'GET', path: `/graphql?query=${query}` },
  { method: 'HEAD', path: `/graphql?query=${query}` },
  {
    method: 'POST',
    path: '/graphql',
    body: '{"query":"mutation { updateAutomationSettings(isEnabled: true) { userId } }"}',
  },
  { method: 'GET', path: '/api/v1/auth/keys?limit=1' },
  { method: 'PUT', path: '/api/v1/automation/settings', body: '{"is_enabled":true}' },
  { method: 'OPTIONS', path: '/api/v1/automation/settings' },
  { method: 'GET', path: '/api/v1/openapi.json' },
  { method: 'GET', path: '/api/v1/keys/authorize' },
  { method: 'POST', path: '/api/v1/keys/authorize/any', body: '{}' },
  { method: 'GET', path: '/health/live' },
  { method: 'HEAD', path: '/health/ready' },
  { method: 'GET', path: '/console' },
  { method: 'GET', path: '/sign-in/callback' },
  { method: 'GET', path: `/${asset}` },
  { method: 'GET', path: '/.well-known/oauth-protected-resource' },
  { method: 'GET', path: '/nowhere' },
];

/** Every header that something here, Node included, reads, and a few that something might. */
const names = [
  ...['accept', 'accept-charset', 'accept-encoding', 'accept-language', 'authorization', 'cache-control'],
  ...['access-control-request-headers', 'access-control-request-method', 'connection', 'content-encoding'],
  ...[
    'content-length',
    'content-type',
    'cookie',
    'expect',
    'forwarded',
    'host',
    'http2-settings',
    'if-match',
  ],
  ...['if-modified-since', 'if-none-match', 'if-range', 'if-unmodified-since', 'keep-alive', 'max-forwards'],
  ...['origin', 'prefer', 'proxy-connection', 'range', 'referer', 'sec-websocket-key', 'te', 'traceparent'],
  ...['tracestate', 'trailer', 'transfer-encoding', 'upgrade', 'upgrade-insecure-requests', 'user-agent'],
  ...[
    'via',
    'x-api-key',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-http-method-override',
  ],
  ...['x-original-url', 'x-real-ip', 'x-request-id'],
];

const word = fc.constantFrom(
  ...[canary, origin, 'null', '*', '*/*', 'application/*', 'application/json', 'text/html', 'a/b', 'utf-8'],
  ...[
    'application/graphql-response+json',
    'multipart/mixed',
    'text/event-stream',
    'q=0',
    'q=0.5',
    'charset=x',
  ],
  ...['gzip', 'br', 'identity', 'chunked', 'close', 'keep-alive', 'upgrade', 'websocket', 'h2c', 'trailers'],
  ...[
    '100-continue',
    'bytes=0-9',
    'W/"a"',
    '"a"',
    'GET',
    'DELETE',
    'Bearer',
    'Basic',
    '127.0.0.1',
    '10.0.0.1',
  ],
  ...['::1', `fe80::1%${'z'.repeat(400)}`, '[::1]:80', '0', '5', '-1', '99999999999', '1e9', 'https', 'http'],
  ...['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'Sun, 22 Nov 2026 00:00:00 GMT', 'x\u00e9'],
);

/** Words with what may stand between them; a few of them, or as many as a header can hold. */
const list = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 5 }), fc.constantFrom(',', ', ', ';', ' ', '='))
  .chain(([words, separator]) =>
    fc.constantFrom(1, 1, 31, 400).map((times) =>
      Array.from({ length: times }, () => words.join(separator))
        .join(separator)
        .slice(0, 15_000),
    ),
  );

/** What no header is meant to hold, but can. */
const noise = fc
  .string({
    unit: fc.integer({ min: 0x20, max: 0xff }).map((byte) => String.fromCharCode(byte)),
    maxLength: 300,
  })
  .filter((text) => !text.includes('\x7f'));

const value = fc.oneof(
  word,
  list,
  noise,
  noise.map((text) => canary + text),
);

const headers = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...names), value), { selector: ([name]) => name, maxLength: 6 })
  .map((fields) => new Map(fields));

/** What a request has that draws no other value for it. */
const defaultsOf = (body: string | undefined): [string, string][] => [
  ['host', 'keyward.test'],
  ['authorization', `Bearer ${token}`],
  ...(body === undefined
    ? []
    : ([
        ['content-type', 'application/json'],
        ['content-length', `${body.length}`],
      ] as [string, string][])),
];

const write = ({ method, path, body }: Target, drawn: ReadonlyMap<string, string>) => {
  const fields = new Map([...defaultsOf(body), ...drawn]);
  const lines = [...fields].map(([name, text]) => `${name}: ${text}\r\n`).join('');
  return `${method} ${path} HTTP/1.1\r\n${lines}\r\n${body ?? ''}`;
};

/** What holds of every answer, whatever the request's headers are. */
function expectSound(answer: RawAnswer, drawn: ReadonlyMap<string, string>): void {
  const { status, head, fields, body } = answer;
  expect(status).toBeGreaterThanOrEqual(200);
  expect(status).toBeLessThan(500);
  expect(head.length).toBeLessThan(2000);
  expect(head).toMatch(/^HTTP\/1\.1 \d{3} [A-Za-z -]+(\r\n[\w-]+: [\x20-\x7e]+)*$/);
  const found = fields.map(([name]) => name.toLowerCase());
  expect(new Set(found).size).toBe(found.length);
  const lengths = found.filter((name) => name === 'content-length' || name === 'transfer-encoding');
  expect(lengths).toHaveLength(status === 204 ? 0 : 1);
  // Only the request's id may come back, if it is one. The space around a header's value is not part of it.
  const id = drawn.get('x-request-id')?.replace(/^[ \t]+|[ \t]+$/g, '');
  const isId = id !== undefined && /^[\w.-]{8,64}$/.test(id);
  const others = fields.filter(([name, text]) => !(isId && name === 'x-request-id' && text === id));
  expect(others.flat().join('\n')).not.toContain(canary);
  expect(body).not.toContain(canary);
}

describe('a response', () => {
  it.each(targets)(
    'has short and well-formed headers, one length and nothing of what it was sent, whatever the headers: $method $path',
    async (target) => {
      const property = fc.asyncProperty(headers, async (drawn) => {
        expectSound(await sendRaw(service.port, write(target, drawn)), drawn);
      });
      await fc.assert(property, { numRuns: 60 });
    },
    60_000,
  );

  it.each(names)('is valid if %s is as long as it can be', async (name) => {
    const parts = ['a/b,', `${canary} `, 'x', '*/*;q=0.1, ', '1.1.1.1, ', '"', '\u00ff'];
    for (const part of parts) {
      const drawn = new Map([[name, part.repeat(Math.floor(15_000 / part.length)).trim()]]);
      for (const target of targets.slice(0, 5)) {
        expectSound(await sendRaw(service.port, write(target, drawn)), drawn);
      }
    }
  });
});

describe('406', () => {
  it.each([
    ['multipart/mixed', 'Accept: multipart/mixed\r\n'],
    ['31 types', `Accept: ${Array.from({ length: 31 }, () => 'a/b').join(', ')}\r\n`],
    ['12 kB of types', `Accept: ${'a/b, '.repeat(2400)}\r\n`],
    ['several headers', 'Accept: a/b\r\n'.repeat(400)],
  ])('is the answer to %s, with one length and a short body', async (_what, accept) => {
    const answer = await sendRaw(
      service.port,
      `GET /graphql?query=${query} HTTP/1.1\r\nHost: a\r\n${accept}\r\n`,
    );
    expectSound(answer, new Map());
    expect(answer.status).toBe(406);
    expect(answer.body.length).toBeLessThan(200);
    expect(answer.fields).toContainEqual(['content-length', `${answer.body.length}`]);
  });
});
