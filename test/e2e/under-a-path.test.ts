import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/rest/routes.ts';
import { developmentServerSecret } from '../../src/secrets/server-secret.ts';
import { send } from '../support/exact-client.ts';
import { sentences } from '../support/example-suite.ts';
import {
  createTemporaryFolder,
  freePort,
  root,
  runShell,
  type ServiceProcess,
  startProcess,
} from '../support/process.ts';
import { canRun } from '../support/programs.ts';
import { spelledDoors } from '../support/spelled-doors.ts';
import { toPattern } from '../support/template.ts';
import { pathProxies } from '../support/under-a-path.ts';

const path = '/a/b';

/** What begins a path of Keyward's, after a quote, or what comes before one in a header, a style sheet or a tag. */
const pathOfOurs =
  /["'`<(=\s]\/(?:api\/v1|graphql|console|sign-in|assets|elements|health|\.well-known)(?![\w-])/g;

/** What may refer to something in a page. All else is prose, in which paths begin at the service's URL. */
const inPage = /<(?:a|link|script|img|form|iframe|meta|base)\b[^>]*>|id="settings">.*?<\/script>/gs;

/** The part of a response that may refer to something. */
function referringPart(type: string, text: string): string {
  if (type.startsWith('text/html')) return (text.match(inPage) ?? []).join('\n');
  // A description in OpenAPI says where its paths begin.
  if (text.startsWith('{"openapi"')) return JSON.stringify(JSON.parse(text).servers);
  // GraphiQL looks paths up by their names.
  return text.replaceAll(/"\/api\/v1[^"]*":|startsWith\(`[^`]*`\)/g, '');
}

/** What a response refers to that is not below the path. */
function strayIn(host: string, { headers }: Response, text: string): string[] {
  const fields = [...headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  const said = `${fields}\n${referringPart(headers.get('content-type') ?? '', text)}`;
  const urls = [...said.matchAll(/https?:\/\/127\.0\.0\.1:\d+[\w./-]*/g)].map(([url]) => url);
  return [
    ...[...said.matchAll(pathOfOurs)].map(([reference]) => reference.slice(1)),
    ...urls.filter((url) => url.startsWith(host) && !`${url}/`.includes(`${path}/`)),
  ];
}

/** The requests that no page leads to. */
const requestsOf = (secret: string): readonly (readonly [target: string, init: RequestInit])[] => [
  ...Object.values(routes).flatMap((route) =>
    ['GET', 'PATCH'].map((method) => [`/api/v1${route.path.replace(/\{\w+\}/g, '1')}`, { method }] as const),
  ),
  ...['/api/v1/openapi.json', '/api/v1/openapi-3.0.json', '/nowhere', '/api/v1/nowhere'].map(
    (target) => [target, {}] as const,
  ),
  ...['oauth-protected-resource', 'oauth-authorization-server', 'jwks.json'].map(
    (name) => [`/.well-known/${name}`, {}] as const,
  ),
  ...['', 'Bearer x'].map((authorization) => ['/api/v1/auth/keys', { headers: { authorization } }] as const),
  ['/graphql', post({ query: '{ __schema { types { name } } }' })],
  ['/api/v1/keys/verify', post({ key: secret })],
];

const post = (body: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

describe.each(pathProxies.filter(({ isRun }) => isRun))(
  'below a path of another host, which $name has $handling',
  ({ start }) => {
    const stack = new AsyncDisposableStack();
    let service: ServiceProcess;
    let host: string;
    let token: string;

    beforeAll(async () => {
      const folder = stack.use(await createTemporaryFolder());
      const port = await freePort();
      ({ url: host } = stack.use(await start(folder.path, path, port)));
      service = stack.use(
        await startProcess(folder.path, {
          PORT: `${port}`,
          PUBLIC_URL: host + path,
          TRUST_PROXY: 'loopback',
          ADMIN: 'on',
          PROVIDER_NAME: 'Example',
          PROVIDER_COLOR: '#7c3aed',
          PROVIDER_LOGO: join(root, 'web/shared/icon.svg'),
          CONSOLE_LOCALES: 'en-GB,de',
          CORS_ORIGINS: 'https://app.example.com',
        }),
      );
      token = await service.token('alice');
    }, 60_000);
    afterAll(() => stack.disposeAsync());

    const ask = (target: string, init: RequestInit = {}) =>
      fetch(host + target, {
        ...init,
        redirect: 'manual',
        headers: { authorization: `Bearer ${token}`, ...init.headers },
      });
    const browse = (target: string) => ask(target, { headers: { accept: 'text/html' } });

    it('answers below it, and leaves all else to the proxy', async () => {
      const statuses = async (targets: readonly string[]) =>
        Promise.all(targets.map(async (target) => (await browse(target)).status));
      expect(
        await statuses([`${path}/console`, `${path}/graphql`, `${path}/api/v1/docs`, `${path}/health/ready`]),
      ).toEqual([200, 200, 200, 200]);
      for (const target of [path, `${path}/`, `${path}?x`]) {
        const { url } = await fetch(host + target, { headers: { accept: 'text/html' } });
        expect(url, target).toBe(`${host}${path}/console`);
      }
      await expect.poll(() => service.output.stdout.match(/"route":"\/console"/g)).toHaveLength(4);
      const before = service.output.stdout.length;
      const others = [
        '/',
        '/a',
        '/a/',
        '/a/bx/console',
        '/a/b.console',
        '/console',
        '/api/v1/auth/keys',
        '/x/a/b/console',
        '/A/b/console',
        '/a/B/console',
      ];
      const outside = await Promise.all(others.map(async (target) => (await ask(target)).text()));
      expect(outside.filter((text) => text.includes('detail'))).toEqual([]);
      expect(service.output.stdout.slice(before)).not.toContain('"msg":"request"');
    });

    it('counts the path once', async () => {
      for (const target of [path + path, `${path}${path}/console`, `${path}${path}/api/v1/openapi.json`])
        expect((await browse(target)).status, target).toBe(404);
    });

    it('keeps the door for servers inside, however its path is spelled', async () => {
      const headers = [['X-API-Key', 'sk-x']] as const;
      const spelled = spelledDoors().flatMap((door) => [door, path + door, path + path + door]);
      const more = ['/x/..%2f', '%2f..%2f', '/..%2f..%2f..%2f..%2f..%2f..'].map(
        (end) => `/api/v1/keys/authorize${end}${path}/x`,
      );
      for (const target of [...spelled, ...more]) {
        const { headers: answered } = await send(host, { target, headers });
        // Only the door answers in this way.
        expect(answered['content-type'] ?? '', target).not.toMatch(/problem/);
      }
      const inside = await send(service.url, { target: '/api/v1/keys/authorize', headers });
      expect([inside.status, inside.headers['content-type']]).toEqual([401, 'application/problem+json']);
    });

    describe('no response', () => {
      const stray: string[] = [];
      /** Asks, and notes what the response refers to that is not below the path. */
      const look = async (target: string, init: RequestInit = {}) => {
        const response = await ask(target, init);
        const text = await response.text();
        stray.push(...strayIn(host, response, text).map((each) => `${target} refers to ${each}`));
        return { status: response.status, headers: response.headers, text };
      };
      const lookAtAll = async (targets: readonly string[]) => {
        for (const target of targets) expect((await look(target)).status, target).toBe(200);
      };
      afterEach(() => {
        expect(stray.splice(0)).toEqual([]);
      });

      it.each(['', '/', '/console', '/graphql', '/api/v1/docs', '/sign-in/callback'])(
        'of the page %s refers to anything outside, and what the page needs is there',
        async (page) => {
          const { text } = await look(path + page, { headers: { accept: 'text/html' } });
          await lookAtAll([...text.matchAll(/(?:src|href)="([^"#:]+)"/g)].map(([, link = '']) => link));
          const settings = JSON.parse(/id="settings">(.*?)<\/script>/.exec(text)?.[1] ?? '{}');
          await lookAtAll(Object.values(settings.language?.later ?? {}));
        },
      );

      it('with a file of the pages refers to anything outside', async () => {
        const files = readdirSync(join(root, 'dist/web/assets')).filter((name) => !name.endsWith('.br'));
        expect(files.length).toBeGreaterThan(50);
        await lookAtAll(files.map((name) => `${path}/assets/${name}`));
      });

      it('with the elements refers to anything outside', async () => {
        const { module, integrity } = JSON.parse((await look(`${path}/elements/keyward.json`)).text);
        expect(Object.keys(integrity)).toContain(module);
        await lookAtAll([`${path}/elements/keyward.js`, ...Object.keys(integrity)]);
      });

      it('of the API refers to anything outside, and what it refers to is there', async () => {
        const created = await look(`${path}/api/v1/auth/keys`, post({ name: 'One' }));
        const listed = await look(`${path}/api/v1/auth/keys?limit=1`);
        const [, next = ''] = /^<(.*)>; rel="next"$/.exec(listed.headers.get('link') ?? '') ?? [];
        await lookAtAll([created.headers.get('location') ?? '', next]);
        for (const [target, init] of requestsOf(JSON.parse(created.text).key))
          await look(path + target, init);
      });
    });

    it('has its documents where OAuth clients look for them', async () => {
      const refused = await ask(`${path}/api/v1/auth/keys`, { headers: { authorization: '' } });
      const [, metadata = ''] =
        /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
      expect(metadata).toBe(`${host}/.well-known/oauth-protected-resource${path}`);
      const read = async (url: string) => (await fetch(url)).json();
      expect(await read(metadata)).toMatchObject({ resource: host + path });
      expect(await read(`${host}${path}/.well-known/oauth-protected-resource`)).toEqual(await read(metadata));
      const server = await read(`${host}/.well-known/oauth-authorization-server${path}`);
      expect(server).toMatchObject({
        issuer: host + path,
        introspection_endpoint: `${host}${path}/api/v1/oauth/introspect`,
        token_endpoint: `${host}${path}/api/v1/oauth/token`,
        jwks_uri: `${host}${path}/.well-known/jwks.json`,
      });
      expect(await read(`${host}${path}/.well-known/oauth-authorization-server`)).toEqual(server);
      expect(await read(server.jwks_uri)).toMatchObject({ keys: [{ use: 'sig' }] });
    });

    it('tells both kinds of OpenAPI clients where its paths begin', async () => {
      for (const name of ['openapi.json', 'openapi-3.0.json']) {
        const { servers } = await (await ask(`${path}/api/v1/${name}`)).json();
        expect(servers).toEqual([{ url: path, description: 'This server.' }]);
      }
    });

    it('lets pages of allowed origins in', async () => {
      const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'DELETE' };
      const preflight = await ask(`${path}/api/v1/auth/keys/1`, { method: 'OPTIONS', headers });
      expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
        204,
        'https://app.example.com',
      ]);
    });

    it.each([
      ['sh', 'sh examples/keyward.sh', undefined, canRun('curl', 'its example is not run')],
      ['JavaScript', 'node examples/keyward.mjs', sentences, true],
      ['TypeScript, REST', 'node examples/typescript/rest.ts', undefined, true],
      ['TypeScript, GraphQL', 'node examples/typescript/graphql.ts', undefined, true],
      ['Python', 'python3 examples/manage_keys.py', sentences, canRun('python3', 'its example is not run')],
      ['Go', 'go run examples/keyward.go', sentences, canRun('go', 'its example is not run', ['version'])],
      [
        'PHP',
        'php examples/keyward.php',
        sentences,
        canRun('php', 'its example is not run', ['--ri', 'curl']),
      ],
    ])(
      'the client in %s works there',
      async (_language, command, printed, isHere) => {
        if (!isHere) return;
        const env = {
          KEYWARD_URL: host + path,
          KEYWARD_TOKEN: token,
          KEYWARD_SERVER_SECRET: developmentServerSecret,
        };
        const { code, stdout, stderr } = await runShell(command, { env, timeout: 60_000 });
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        expect(stdout).toMatch(printed === undefined ? /422/ : toPattern(printed));
      },
      70_000,
    );
  },
);
