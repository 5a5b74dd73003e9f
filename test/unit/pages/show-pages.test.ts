import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { readSignInSettings } from '../../../src/pages/page-settings.ts';
import { sharedBodyOf } from '../../support/fetch-gateway.ts';
import { createTestGateway, type TestGateway } from '../../support/gateway.ts';
import { startIllBehavedIssuer } from '../../support/ill-behaved-issuer.ts';
import { startIssuer, type TestIssuer } from '../../support/issuer.ts';

const html = { headers: { accept: 'text/html' } };
const signIn = { clientId: 'pages', parameters: { audience: 'keyward' } };

let issuer: TestIssuer;
let gateway: TestGateway;
beforeAll(async () => {
  issuer = await startIssuer();
  const config = { ...issuer.config, scopeAliases: new Map([['theirs', ['email', 'profile']]]) };
  gateway = await createTestGateway(
    { ...issuer, config },
    { pages: { shown: ['graphiql', 'reference'], signIn } },
  );
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Long enough for a busy machine, in milliseconds. */
const inTime = 20_000;

/** What the server has told a page. */
const settingsIn = (text: string) =>
  JSON.parse(/id="settings">(.*?)<\/script>/.exec(text)?.[1] ?? '') as {
    signIn?: object;
    pages: object;
    sessionDuration: object;
    scopes: { name: string; requestedAs: string[] }[];
    organizations: boolean;
  };

describe('a page', () => {
  it('the provider cannot be reached → shown without a sign-in, and the log says why', async () => {
    const warning = {
      level: 40,
      msg: 'could not read the sign-in address from the identity provider; will retry',
    };
    await vi.waitFor(() => expect(gateway.log()).toContainEqual(expect.objectContaining(warning)), inTime);
    const { status, text } = await gateway.fetch('GET', '/api/v1/docs', html);
    expect(status).toBe(200);
    expect(settingsIn(text).signIn).toBeUndefined();
  });

  it('does not wait for a slow provider, which is asked again after 30 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await using slow = await startIllBehavedIssuer();
    const held: (() => void)[] = [];
    const url = slow.config.issuer;
    const endpoints = { authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token` };
    slow.behaviour.metadata = (response) => {
      held.push(() => slow.json(held.length === 1 ? {} : { issuer: url, ...endpoints })(response));
    };
    await using other = await createTestGateway(slow, { pages: { shown: ['reference'], signIn } });
    const read = async () => settingsIn((await other.fetch('GET', '/api/v1/docs', html)).text).signIn;
    const untilAsked = (times: number) => vi.waitUntil(() => held.length === times, inTime);
    await untilAsked(1);
    expect(await Promise.all(Array.from({ length: 50 }, read))).toEqual(Array(50).fill(undefined));
    held[0]?.();
    await vi.waitUntil(() => vi.getTimerCount() > 0, inTime);
    await vi.advanceTimersByTimeAsync(29_999);
    expect(slow.counts.metadata).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await untilAsked(2);
    expect(await read()).toBeUndefined();
    held[1]?.();
    await vi.waitUntil(async () => (await read()) !== undefined, inTime);
    expect(await read()).toMatchObject({ tokenEndpoint: endpoints.token_endpoint });
    expect(slow.counts.metadata).toBe(2);
  });

  it('gets the sign-in address, and its policy allows no other host', async () => {
    const metadata = {
      issuer: issuer.config.issuer,
      authorization_endpoint: 'https://id.example.com/authorize',
      token_endpoint: 'https://tokens.example.com/token</script>',
    };
    vi.stubGlobal('fetch', async () => Response.json(metadata));
    await using other = await createTestGateway(issuer, { pages: { shown: ['reference'], signIn } });
    const { headers, text } = await vi.waitUntil(async () => {
      const answer = await other.fetch('GET', '/api/v1/docs', html);
      return settingsIn(answer.text).signIn && answer;
    }, inTime);
    expect(settingsIn(text).signIn).toEqual({
      ...signIn,
      issuer: metadata.issuer,
      authorizationEndpoint: metadata.authorization_endpoint,
      tokenEndpoint: metadata.token_endpoint,
      issParameter: false,
    });
    const policy = headers.get('content-security-policy')?.split('; ');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("connect-src 'self' https://tokens.example.com");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin-allow-popups');
  });

  it("a token endpoint that would change the page's policy → refused", async () => {
    const metadata = {
      issuer: issuer.config.issuer,
      authorization_endpoint: 'https://id.example.com/authorize',
      token_endpoint: 'https://tokens.example.com;sandbox/token',
    };
    vi.stubGlobal('fetch', async () => Response.json(metadata));
    await expect(readSignInSettings(metadata.issuer, signIn)).rejects.toThrow('must have a valid host');
  });

  it('gets the scopes in its own and the provider’s names, and the list of pages', async () => {
    const { scopes, pages } = settingsIn((await gateway.fetch('GET', '/api/v1/docs', html)).text);
    const requested = Object.fromEntries(scopes.map(({ name, requestedAs }) => [name, requestedAs]));
    expect(requested).toMatchObject({ openid: ['openid'], email: ['theirs'], profile: ['theirs'] });
    expect(pages).toEqual({ graphiql: '/graphql', reference: '/api/v1/docs' });
  });

  describe.each([true, false])('if tokens of the first issuer name organisations: %j', (isNamed) => {
    it.each([true, false])(
      'and those of the second: %j → it is told of the first',
      async (isNamedBySecond) => {
        const organization = { claim: 'org', manage: undefined };
        await using second = await startIssuer();
        await using other = await createTestGateway(issuer, {
          pages: { shown: ['reference'], signIn: undefined },
          organization: isNamed ? organization : undefined,
          issuers: [{ ...second.config, organization: isNamedBySecond ? organization : undefined }],
        });
        const { text } = await other.fetch('GET', '/api/v1/docs', html);
        expect(settingsIn(text).organizations).toBe(isNamed);
      },
    );
  });

  it('switched off → not shown', async () => {
    expect((await gateway.fetch('GET', '/console', html)).status).toBe(404);
  });

  it('gets the limits of its inputs', async () => {
    const { text } = await gateway.fetch('GET', '/api/v1/docs', html);
    expect(settingsIn(text).sessionDuration).toEqual({ min: 60, max: 86_400 });
  });

  it('a browser at / → redirected, if there is a console', async () => {
    const bare = async (at: TestGateway, options?: typeof html) => {
      const { status, headers } = await at.fetch('GET', '/', options);
      return [status, headers.get('location')];
    };
    expect(await bare(gateway, html)).toEqual([404, null]);
    await using other = await createTestGateway(issuer, {
      pages: { shown: ['console', 'reference'], signIn },
    });
    expect(await bare(other, html)).toEqual([302, '/console']);
    expect(await bare(other)).toEqual([404, null]);
    // Nothing else goes there, and what begins with a path has its own handler.
    expect((await other.fetch('GET', '/nothing', html)).status).toBe(404);
    expect((await other.fetch('POST', '/', html)).status).toBe(404);
    expect((await other.fetch('GET', '/api/v1/openapi.json', html)).status).toBe(200);
  });

  it('at /graphql, a browser gets GraphiQL, and other clients get GraphQL', async () => {
    expect((await gateway.fetch('GET', '/graphql', html)).text).toContain('<title>GraphiQL');
    const { status, text } = await gateway.fetch('GET', '/graphql?query={__typename}');
    expect([status, text]).toEqual([200, '{"data":{"__typename":"Query"}}']);
  });

  it('the page at the end of a sign-in keeps its opener', async () => {
    const { headers } = await gateway.fetch('GET', '/sign-in/callback?code=c&state=s');
    expect(headers.get('cross-origin-opener-policy')).toBe('unsafe-none');
  });
});

describe('a file of a page', () => {
  const assetsOf = async () => {
    const { text } = await gateway.fetch('GET', '/api/v1/docs', html);
    return [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  };

  it('is found, and may be cached for ever', async () => {
    const assets = await assetsOf();
    expect(assets.some((path) => path.endsWith('.js'))).toBe(true);
    expect(assets.some((path) => path.endsWith('.css'))).toBe(true);
    for (const path of assets) {
      const { status, headers } = await gateway.fetch('GET', path);
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('content-type')).toMatch(
        /^(text\/(javascript|css); charset=utf-8|image\/svg\+xml)$/,
      );
    }
  });

  it.each(['br', 'gzip', 'identity'])(
    'every answer shares the same bytes, without a copy: %s',
    async (encoding) => {
      const [path = ''] = await assetsOf();
      const load = async () => {
        const headers = { 'accept-encoding': encoding };
        return sharedBodyOf(
          await gateway.gateway.fetch(new Request(`http://keyward.test${path}`, { headers })),
        );
      };
      const body = await load();
      expect(body?.length).toBeGreaterThan(0);
      expect(await load()).toBe(body);
    },
  );

  it('has the best compression that the client accepts, and is the same unpacked', async () => {
    const [path = ''] = await assetsOf();
    const load = async (encodings: string) => {
      const headers = { 'accept-encoding': encodings };
      const response = await gateway.gateway.fetch(new Request(`http://keyward.test${path}`, { headers }));
      const coding = response.headers.get('content-encoding');
      return { coding, body: Buffer.from(await response.arrayBuffer()) };
    };
    const [plain, zipped, best] = [await load(''), await load('gzip'), await load('gzip, deflate, br')];
    expect([plain.coding, zipped.coding, best.coding]).toEqual([null, 'gzip', 'br']);
    expect(gunzipSync(zipped.body)).toEqual(plain.body);
    expect(brotliDecompressSync(best.body)).toEqual(plain.body);
    expect(best.body.length).toBeLessThan(zipped.body.length);
    // A file of its own it is not.
    expect((await gateway.fetch('GET', `${path}.br`)).status).toBe(404);
  });

  it.each([
    '/assets/',
    '/assets/nothing.js',
    '/assets/..%2Findex.html',
    '/assets/%2e%2e/package.json',
    '/assets/constructor',
  ])('any other path, %s → 404', async (path) => {
    expect((await gateway.fetch('GET', path)).status).toBe(404);
  });
});
