import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { compile } from 'svelte/compiler';
import { build, type Plugin, type Rolldown } from 'vite';
import { Settings } from './own-pages/settings.ts';
import { root } from './process.ts';

/** The pages of a provider, each made in another way. */
export const kinds = ['plain', 'react', 'vue', 'svelte', 'server'] as const;

const scripts = { plain: 'plain', react: 'react', vue: 'vue', svelte: 'svelte', server: 'hydrate' } as const;

/** Svelte compiles its components. */
const compileSvelte: Plugin = {
  name: 'compile-svelte',
  transform: (code, id) => (id.endsWith('.svelte') ? compile(code, { filename: id }).js.code : undefined),
};

/** A script as a browser loads it. */
async function bundle(name: string): Promise<string> {
  const built = await build({
    configFile: false,
    root,
    logLevel: 'silent',
    mode: 'production',
    plugins: [compileSvelte],
    define: { 'process.env.NODE_ENV': '"production"', __VUE_OPTIONS_API__: 'true' },
    build: { write: false, rolldownOptions: { input: join(root, `test/support/own-pages/${name}.ts`) } },
  });
  const { output } = built as Rolldown.RolldownOutput;
  return output[0].code;
}

const bodies = {
  plain: '<main><h1>Settings</h1><keyward-keys></keyward-keys></main>',
  react: '<div id="root"></div>',
  vue: '<div id="root"></div>',
  svelte: '<div id="root"></div>',
  server: () => `<div id="root">${renderToString(createElement(Settings))}</div>`,
} as const;

/** The policies by which frameworks make elements of their own templates (Trusted Types). */
const ownPolicies: Readonly<Record<string, string>> = { vue: 'vue', svelte: 'svelte-trusted-html' };

/** Light or dark, as the person's system is. */
const styles = `
  :root { color-scheme: light dark; background: light-dark(#fff, #111); color: light-dark(#111, #eee); }
  main > button { min-height: 2rem; }
`;

interface OtherPage {
  readonly html: string;
  /** Its content security policy. */
  readonly policy?: string;
}

/**
 * A provider's site, with a page of each kind below its own path, such as `/plain`, and in German at `/plain-de`.
 * @returns its origin; `useService` must then say where Keyward is
 */
export async function startOwnPages() {
  let url = '';
  const code = Object.fromEntries(
    await Promise.all(kinds.map(async (kind) => [kind, await bundle(scripts[kind])] as const)),
  );
  // No inline script or style, nothing from a CDN, and no text that becomes a script.
  const policy = (kind: string) =>
    [
      "default-src 'none'",
      `script-src 'self' ${url}/`,
      "style-src 'self'",
      'img-src data:',
      `connect-src ${url}/`,
      "require-trusted-types-for 'script'",
      `trusted-types ${ownPolicies[kind] ?? "'none'"}`,
    ].join('; ');
  const page = (kind: (typeof kinds)[number], language: string): string => {
    const body = bodies[kind];
    return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>Settings</title>
<meta name="viewport" content="width=device-width">
<script type="module" src="${url}/elements/keyward.js"></script>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/page.css">
<script type="module" src="/${kind}.js"></script></head>
<body>${typeof body === 'string' ? body : body()}</body></html>`;
  };
  const serveKind = (path: string, response: ServerResponse) => {
    const [, kind = '', ending] = /^\/(plain|react|vue|svelte|server)(-de|\.js)?$/.exec(path) ?? [];
    if (kind === '') return response.writeHead(404).end();
    const isScript = ending === '.js';
    const type = isScript ? 'text/javascript' : 'text/html; charset=utf-8';
    response.writeHead(200, { 'content-type': type, 'content-security-policy': policy(kind) });
    const language = ending === '-de' ? 'de' : 'en-GB';
    return response.end(isScript ? code[kind] : page(kind as (typeof kinds)[number], language));
  };
  const others = new Map<string, OtherPage>();
  const server = createServer(({ url: path = '' }, response) => {
    const other = others.get(path);
    if (other) {
      response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': other.policy ?? '' });
      return response.end(other.html);
    }
    if (path === '/page.css') {
      response.writeHead(200, { 'content-type': 'text/css' });
      return response.end(styles);
    }
    serveKind(path, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    /** Adds a page. */
    add: (path: string, other: OtherPage): void => void others.set(path, other),
    useService: (serviceUrl: string): void => {
      url = serviceUrl;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
