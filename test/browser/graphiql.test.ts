import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTemporaryFolder, root, type ServiceProcess, startProcess } from '../support/process.ts';

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

/** Where the picture goes; the README's is made by `SCREENSHOT=docs/graphiql.png npm run test:browser`. */
const picture = resolve(root, process.env['SCREENSHOT'] ?? 'artefacts/graphiql.png');

// Without a browser nothing is shown: said here, and in CI a failure, where the launch will complain.
const canRun = existsSync(executablePath) || process.env['CI'] !== undefined;
if (!canRun)
  process.stdout.write(`No Chromium here: ${executablePath} is missing, CHROMIUM_PATH names another.\n`);

const launchOptions = {
  executablePath,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let service: ServiceProcess;
let browser: Browser;
let page: Page;
const requested: string[] = [];
const complaints: string[] = [];

/** Whether a URL leads to the service itself, or nowhere at all. */
const isOwn = (url: string) => url.startsWith(`${service.url}/`) || /^(data|blob):/.test(url);

/** The lines that an editor shows. */
const linesOf = async (editor: string) =>
  (await page.locator(`${editor} .view-line`).allTextContents()).join('\n').replaceAll('\u00a0', ' ');

const response = () => linesOf('.result-window');
const headersEditor = '.graphiql-editor-tool .graphiql-editor:not(.hidden)';

/** Does something until it shows: for a moment after each change, GraphiQL loses what is done to it. */
const until = (shown: () => Promise<void>, act: () => Promise<void>) =>
  vi.waitFor(
    async () => {
      await act();
      await shown();
    },
    { timeout: 15_000, interval: 100 },
  );

/** Shows an operation's tab, puts an access token into its headers, and runs it. */
const run = async (tab: string, token: string) => {
  const activeTab = page.locator('.graphiql-tab-active .graphiql-tab-button');
  await until(
    () => expect.poll(() => activeTab.textContent()).toBe(tab),
    () => page.locator('.graphiql-tab-button', { hasText: tab }).click(),
  );
  await page.locator('.graphiql-editor-tools button', { hasText: 'Headers' }).click();
  await expect.poll(() => linesOf(headersEditor)).toContain('"Authorization": ""');
  // Pasted, as a person does: the editor closes brackets that are typed.
  const headers = `{ "Authorization": "Bearer ${token}" }`;
  await page.evaluate((text) => navigator.clipboard.writeText(text), headers);
  await until(
    () => expect.poll(() => linesOf(headersEditor)).toContain(token.slice(0, 20)),
    async () => {
      await page.locator(`${headersEditor} .view-lines`).click();
      for (const key of ['ControlOrMeta+A', 'ControlOrMeta+V', 'Home']) await page.keyboard.press(key);
    },
  );
  await page.locator('.graphiql-execute-button').click();
};

describe.skipIf(!canRun)('GraphiQL', () => {
  beforeAll(async () => {
    folder = await createTemporaryFolder();
    service = await startProcess(folder.path);
    browser = await chromium.launch(launchOptions);
    page = await browser.newPage({
      viewport: { width: 1280, height: 800 },
      colorScheme: 'light',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    page.on('request', (request) => requested.push(request.url()));
    page.on('websocket', (socket) => requested.push(socket.url()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.setDefaultTimeout(10_000);
    await page.goto(`${service.url}/graphql`);
  });
  afterAll(async () => {
    mkdirSync(dirname(picture), { recursive: true });
    await page?.screenshot({ path: picture });
    await browser?.close();
    await service?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  it('opens with a tab for each operation', async () => {
    await page.locator('.graphiql-tab').last().waitFor();
    expect(await page.locator('.graphiql-tab-button').allTextContents()).toEqual([
      'PrivateKeyStatus',
      'DeactivateApiKey',
      'UpdateAutomationSettings',
    ]);
  });

  it.each([
    ['UpdateAutomationSettings', /"sessionDuration": 3600,\s+"userId": 1,/],
    ['DeactivateApiKey', /"id": 1,\s+"keyPrefix": "sk-\w{6}",\s+"name": "Laptop",\s+"isActive": false,/],
    ['PrivateKeyStatus', /"hasKey": true,/],
  ])('runs %s with a token', async (tab, expected) => {
    await run(tab, await service.token('alice'));
    await expect.poll(response, { timeout: 10_000 }).toMatch(expected);
  });

  it('asks nobody but the service for anything', () => {
    expect(requested).toContain(`${service.url}/graphql`);
    expect(requested.filter((url) => !isOwn(url))).toEqual([]);
  });

  it('has nothing to complain of', () => {
    expect(complaints).toEqual([]);
  });
});
