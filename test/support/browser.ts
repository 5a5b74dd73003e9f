import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import axe from 'axe-core';
import {
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  firefox,
  type Page,
  type Request,
  type Route,
} from 'playwright-core';
import { expect } from 'vitest';
import { createTemporaryFolder, freePort, root, startProcess } from './process.ts';
import { type Handling, startPathNginx } from './under-a-path.ts';

/** The header in which a page repeats the body of its request, for a driver that does not report bodies. */
const bodyHeader = 'x-test-body';

/** Runs in a page: repeats the body of each request in a header. */
const repeatBodies = (header: string): void => {
  const send = globalThis.fetch;
  globalThis.fetch = (input, init = {}) => {
    if (init.body === undefined || init.body === null) return send(input, init);
    const headers = new Headers(init.headers);
    headers.set(header, encodeURIComponent(String(init.body)));
    return send(input, { ...init, headers });
  };
};

/** The browsers that tests drive: a way to launch each, and the variable that names another file of it. */
const browsers = {
  chromium: {
    name: 'Chromium',
    // The colour schemes that a test can choose between.
    schemes: ['dark', 'light'],
    variable: 'CHROMIUM_PATH',
    usual: '/usr/bin/chromium',
    launch: (executablePath: string) =>
      chromium.launch({
        executablePath,
        args: [
          `--host-resolver-rules=MAP ${remoteName} 127.0.0.1`,
          '--no-sandbox',
          '--disable-gpu',
          '--disable-quic',
          '--no-first-run',
          '--disable-background-networking',
          '--disable-component-update',
          '--disable-sync',
        ],
      }),
  },
  // The Firefox that people have: its driver uses WebDriver BiDi. With BiDi, playwright-core 1.64 cannot choose a
  // colour scheme, grant permissions, or read the body of a request.
  firefox: {
    name: 'Firefox',
    schemes: ['light'],
    variable: 'FIREFOX_PATH',
    usual: '/usr/bin/firefox-esr',
    launch: (executablePath: string) =>
      firefox.launch({
        executablePath,
        channel: 'moz-firefox',
        firefoxUserPrefs: {
          'ui.prefersReducedMotion': 1,
          // 1 is light.
          'layout.css.prefers-color-scheme.content-override': 1,
          // A test may read what the page has copied.
          'dom.events.testing.asyncClipboard': true,
        },
      }),
  },
} as const;

/** The name of a service's that is not of this machine: without TLS, a browser trusts such a page less. */
export const remoteName = 'keyward.test';

const isFirefox = process.env['TEST_BROWSER'] === 'firefox';
const browser = browsers[isFirefox ? 'firefox' : 'chromium'];
const executablePath = process.env[browser.variable] ?? browser.usual;

/** Whether there is a browser. In CI its lack is a failure, where the launch will complain. */
export const canRun = existsSync(executablePath) || process.env['CI'] !== undefined;
// Programs that only import this, such as the bench with --help, do not say so.
if (!canRun && process.env['VITEST'] !== undefined)
  process.stdout.write(
    `No ${browser.name} here: ${executablePath} is missing, ${browser.variable} names another.\n`,
  );

/** The colour schemes in which a state of a page is looked at. */
export const schemes: readonly ('dark' | 'light')[] = browser.schemes;

/** The folder of the pictures. Each browser has its own. */
export const pictures = join(root, 'artefacts', isFirefox ? 'firefox' : '');

/** Where those pictures go that the README shows: `SCREENSHOTS=docs npm run test:browser` makes them anew. */
const shown = resolve(root, process.env['SCREENSHOTS'] ?? pictures);
const inReadme = ['console', 'graphiql', 'reference'];

/** A picture of a page, as `<name>.png` among the pictures. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const folder = inReadme.includes(name) ? shown : pictures;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
}

/** The path below which `startBehind` puts the service. */
const behindPath = '/a/b';

/** Starts the service below a path of another host, behind nginx, which hands the path on or takes it away. */
async function startBehind(handling: Handling, folder: string, environment: Record<string, string>) {
  await using stack = new AsyncDisposableStack();
  const port = await freePort();
  const proxy = stack.use(await startPathNginx(handling)(folder, behindPath, port));
  const url = proxy.url + behindPath;
  const more = { PORT: `${port}`, PUBLIC_URL: url, TRUST_PROXY: 'loopback' };
  const service = stack.use(await startProcess(folder, { ...more, ...environment }));
  const started = stack.move();
  return { ...service, url, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

/**
 * A running service with the development identity provider, and a browser.
 * @param handling what a proxy does with the path below which the service is; undefined: there is none of both
 */
export async function startWorld(
  environment: Record<string, string> = {},
  handling = process.env['TEST_BEHIND'] as Handling | undefined,
) {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await createTemporaryFolder());
  const service = stack.use(
    await (handling
      ? startBehind(handling, folder.path, environment)
      : startProcess(folder.path, environment)),
  );
  const inside = `http://127.0.0.1:${service.port}`;
  const opened = await browser.launch(executablePath);
  stack.defer(() => opened.close());
  const started = stack.move();
  return {
    service,
    /** The service's URL for servers inside: without a path, past a proxy. */
    inside,
    /** A person with a browser of their own: nothing of what another has done is in it. */
    visit: async (options: BrowserContextOptions = {}) => {
      const context = await opened.newContext({
        viewport: { width: 1280, height: 800 },
        colorScheme: 'light',
        baseURL: `${service.url}/`,
        ...options,
        ...(isFirefox && { permissions: [] }),
      });
      if (isFirefox) await context.addInitScript(repeatBodies, bodyHeader);
      return watch(context, [`${service.url}/`, `${inside}/idp/`]);
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** What a test starts. */
export type World = Awaited<ReturnType<typeof startWorld>>;

/** What Firefox says of a style sheet that the driver adds for each picture, and of a font that a reload interrupts. */
const byDriver = [createHash('sha256').update('body {}').digest('base64'), 'status=2152398850'];

/** Opens a page, and notes what all pages of this browser ask for and complain of. */
async function watch(context: BrowserContext, ours: readonly string[]) {
  const requested: string[] = [];
  const complaints: string[] = [];
  const complain = (text: string) => {
    if (!byDriver.some((part) => text.includes(part))) complaints.push(text);
  };
  context.on('request', (request) => requested.push(request.url()));
  context.on('weberror', (error) => complain(error.error().message));
  context.on('console', (message) => {
    // A refusal is what some tests are for.
    if (message.type() === 'error' && !/status of 40[13]/.test(message.text())) complain(message.text());
  });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  page.on('websocket', (socket) => requested.push(socket.url()));
  return {
    context,
    page,
    complaints,
    /** Requests that left the service. */
    foreign: () =>
      requested.filter((url) => ![...ours, 'data:', 'blob:'].some((each) => url.startsWith(each))),
    /** Does what opens the window of the provider, and says there who it is. */
    signInBy: async (act: () => Promise<void>, name = 'alice') => {
      const popup = context.waitForEvent('page');
      await act();
      const provider = await popup;
      await provider.getByRole('button', { name: `Continue as ${name}` }).click();
      await provider.waitForEvent('close').catch(() => expect(provider.isClosed()).toBe(true));
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** A person with a browser. */
export type Visit = Awaited<ReturnType<World['visit']>>;

/**
 * Violations of WCAG 2.2 A and AA, one line each.
 * @param within the part of the page that is looked at; all of it where it is left out
 */
export async function findViolations(page: Page, within = 'html'): Promise<string[]> {
  // Evaluated by the debugger's own means, which no policy of the page forbids.
  await page.evaluate(axe.source);
  return page.evaluate(async (selector) => {
    const { axe: here } = globalThis as unknown as { axe: typeof axe };
    const { violations } = await here.run(selector, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
  }, within);
}

/** The body that a page sends with a request. Null if it has none. */
export function bodyOf(request: Request): string | null {
  const repeated = request.headers()[bodyHeader];
  return repeated === undefined ? request.postData() : decodeURIComponent(repeated);
}

/** The JSON that a page sends with a request. Null if it sends none. */
export const jsonOf = (request: Request) => JSON.parse(bodyOf(request) ?? 'null');

/** Asks the service what a page asks, so that a test can change or lose the response. */
export const answerOf = (route: Route) => route.fetch({ postData: bodyOf(route.request()) ?? undefined });

/** All that a page keeps beyond itself, and where it is: databases, storage, caches, cookies, the address. */
export const stored = async (page: Page): Promise<string> => {
  const { origins } = await page.context().storageState({ indexedDB: true });
  const kept = await page.evaluate(async () => [
    { ...localStorage },
    { ...sessionStorage },
    await caches.keys(),
    document.cookie,
    location.href,
  ]);
  return JSON.stringify([origins, ...kept]);
};
