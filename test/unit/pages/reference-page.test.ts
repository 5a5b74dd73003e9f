import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedBodyOf } from '../../support/fetch-gateway.ts';
import { createTestGateway, type TestGateway } from '../../support/gateway.ts';
import { startIssuer, type TestIssuer } from '../../support/issuer.ts';

type Options = NonNullable<Parameters<typeof createTestGateway>[1]>;

const pages = { shown: ['reference'], signIn: undefined } as const;
const leakReports: Options['leakReports'] = { act: 'end', keys: { find: async () => undefined } };

let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer[Symbol.asyncDispose]());

/** The page of a service, and its API description. */
async function read(options: Options) {
  await using gateway = await createTestGateway(issuer, { ...options, pages });
  const [page, description] = await Promise.all([
    gateway.fetch('GET', '/api/v1/docs'),
    gateway.fetch('GET', '/api/v1/openapi.json'),
  ]);
  return { html: page.text, policy: page.headers.get('content-security-policy'), document: description.body };
}

const idsIn = (html: string, className: string) =>
  [...html.matchAll(new RegExp(`<article class="${className}" id="([^"]+)"`, 'g'))].map(([, id]) => id);

const operationIdsIn = (paths: Record<string, Record<string, { operationId: string }>>) =>
  Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));

describe.each([
  ['with everything', { operators: true, leakReports }],
  ['without operators and leak reports', { operators: false }],
  ['with leak reports only', { operators: false, leakReports }],
])('the API reference of a service %s', (_name, options) => {
  it('has each operation, webhook and schema of the service once, and no other', async () => {
    const { html, document } = await read(options);
    const { paths, webhooks, components } = document;
    expect(idsIn(html, 'operation').toSorted()).toEqual(operationIdsIn(paths).toSorted());
    expect(idsIn(html, 'webhook').toSorted()).toEqual(operationIdsIn(webhooks).toSorted());
    expect(idsIn(html, 'schema').toSorted()).toEqual(
      Object.keys(components.schemas)
        .map((name) => `schema-${name}`)
        .toSorted(),
    );
  });

  it('links only to what is on the page', async () => {
    const { html } = await read(options);
    const links = new Set([...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id));
    expect(links.size).toBeGreaterThan(80);
    expect([...links].filter((id) => !html.includes(`id="${id}"`))).toEqual([]);
  });

  it('has an example of each schema', async () => {
    const { html } = await read(options);
    const [, ...schemas] = html.split('<article class="schema"');
    const bare = schemas.filter((part) => !part.includes('<summary>Example</summary>'));
    expect(bare.map((part) => part.slice(0, 40))).toEqual([]);
  });

  it('has no traces of what was removed', async () => {
    const { html } = await read(options);
    for (const scope of ['keyward.admin', 'keyward.audit'])
      expect(html.includes(scope), scope).toBe(options.operators);
    expect(html.includes('reportLeakedKeys')).toBe('leakReports' in options);
    expect(html).not.toMatch(/<!--|[\u{e000}-\u{e012}]/u);
  });
});

describe('the API reference', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await createTestGateway(issuer, { pages });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it('shows the address of the service, and the header for API keys', async () => {
    const { html, document } = await read({ edge: { apiKeyHeader: 'Acme-Key' } });
    const [, address] = /curl <span class="s">'([^']+)\/api\/v1\/auth\/keys'/.exec(html) ?? [];
    expect(address).toMatch(/^https?:\/\/[\w.:-]+$/);
    expect(html.includes('keyward.example.com')).toBe(false);
    expect(html.includes('<span class="s">"Acme-Key: $API_KEY"</span>')).toBe(true);
    expect(html.includes('X-API-Key')).toBe(false);
    expect(document.components.securitySchemes).not.toHaveProperty('ApiKeyBearer');
    const bearer = 'or as <code>Authorization: Bearer</code>';
    expect(html.includes(bearer)).toBe(false);
    expect((await read({})).html.includes(bearer)).toBe(true);
  });

  it('allows no inline styles or scripts', async () => {
    const { html, policy } = await read({});
    expect(policy).toContain("style-src 'self';");
    expect(policy).not.toContain('unsafe');
    expect(html).not.toMatch(/<style|\sstyle=|<script>|\son\w+=/);
  });

  it.each(['br', 'gzip'])('is compressed once for all requests: %s', async (encoding) => {
    const load = () =>
      gateway.gateway.fetch(
        new Request('http://keyward.test/api/v1/docs', { headers: { 'accept-encoding': encoding } }),
      );
    const [first, second] = [await load(), await load()];
    expect(first.headers.get('content-encoding')).toBe(encoding);
    expect(sharedBodyOf(first)?.length).toBeLessThan(44_000);
    expect(sharedBodyOf(second)).toBe(sharedBodyOf(first));
  });

  it('HEAD → the same headers, without a body', async () => {
    const { status, headers, text } = await gateway.fetch('HEAD', '/api/v1/docs');
    expect([status, headers.get('content-type'), text]).toEqual([200, 'text/html; charset=utf-8', '']);
  });
});
