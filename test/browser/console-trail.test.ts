import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canRun, startWorld, type Visit, type World } from '../support/browser.ts';
import { english, german, textsOf } from '../support/languages.ts';
import {
  call,
  focused,
  goTo,
  inspect,
  openConsole,
  said,
  signInAs,
  signInAsOperator,
  tabTo,
} from './console-person.ts';

/** The REST path from which the console downloads. */
const downloads = '**/api/v1/admin/audit-events**';

/** On what the trail is looked at. */
const looks = [
  ['wide', { viewport: { width: 1280, height: 900 } }],
  ['narrow', { viewport: { width: 320, height: 740 } }],
] as const;

/** How many changes of her settings wendy made. */
const many = 60;

/** The texts of the events on the page, the newest first. */
const eventsOn = (page: Page) => page.locator('.events > li');

const listed = (page: Page, count: number) => expect.poll(() => eventsOn(page).count()).toBe(count);

/** The filter in the address. */
const filterOn = (page: Page) => Object.fromEntries(new URLSearchParams(page.url().split('?')[1]));

const show = (page: Page) => page.getByRole('button', { name: 'Show events' }).click();

/** Chooses actions, whose fold is closed. */
async function chooseActions(page: Page, ...names: string[]) {
  await page.locator('summary', { hasText: 'All actions' }).click();
  for (const name of names) await page.getByRole('checkbox', { name, exact: true }).check();
}

/** Downloads what is shown, and gives the lines of the file. */
async function download(page: Page) {
  const begun = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download', exact: true }).click();
  const file = await begun;
  const text = readFileSync(await file.path(), 'utf8');
  return { name: file.suggestedFilename(), text };
}

/** Slows the page's network down: a download would take minutes. */
async function slowDown(page: Page) {
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  /** @param downloadThroughput in bytes a second; -1: without a limit */
  const limit = (downloadThroughput: number) =>
    network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput,
      uploadThroughput: -1,
    });
  await limit(200);
  return { restore: () => limit(-1) };
}

/** The lines of the events. The last line is where the trail ended at that time. */
function eventsIn(text: string): string[] {
  const lines = text.trimEnd().split('\n');
  expect(JSON.parse(lines.pop() ?? '')).toEqual({ cursor: expect.any(String) });
  return lines;
}

describe.skipIf(!canRun)('the trail of operators', () => {
  let world: World;
  let wendy: { id: number; keyId: number };
  let victor: { id: number; keyId: number };
  beforeAll(async () => {
    world = await startWorld({ ADMIN: 'on', CONSOLE_LOCALES: 'en-GB,de' });
    const person = async (subject: string) => {
      const { id: keyId } = await call(world, subject, 'POST /auth/keys', { name: `${subject}'s laptop` });
      const { user_id: id } = await call(world, subject, 'PUT /automation/settings', { is_enabled: true });
      return { id: id as number, keyId: keyId as number };
    };
    wendy = await person('wendy');
    victor = await person('victor');
    for (let length = 1; length < many; length += 1)
      await call(world, 'wendy', 'PUT /automation/settings', { session_duration: 600 + length });
    const reason = 'Found in a repository';
    await call(
      world,
      'olivia',
      `DELETE /admin/keys/${victor.keyId}?reason=${encodeURIComponent(reason)}`,
      {},
      'keyward.admin',
    );
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  const open = (visit: Visit, filter = '') => signInAsOperator(visit, 'alice', `#operate/trail${filter}`);

  /** The events that the API has for a filter, as lines. */
  async function linesOf(query: string): Promise<string[]> {
    const response = await fetch(`${world.service.url}/api/v1/admin/audit-events?${query}`, {
      headers: {
        authorization: `Bearer ${await world.service.token('olivia', 'keyward.admin')}`,
        accept: 'application/x-ndjson',
      },
    });
    expect(response.status).toBe(200);
    return eventsIn(await response.text());
  }

  it('lists the events of all accounts: whose, what, by whom, when', async () => {
    await using visit = await world.visit();
    const page = await signInAsOperator(visit, 'alice');
    await page.getByRole('link', { name: 'trail', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Trail' }).waitFor();
    await listed(page, 25);
    const [own = '', theirs = ''] = (await eventsOn(page).allInnerTexts()).filter((text) =>
      /deactivated/.test(text),
    );
    expect(own).toMatch(/They deactivated an API key of account \d+/);
    expect(own).toMatch(new RegExp(`Account \\d+ · by its owner · about account ${victor.id}`));
    expect(theirs).toContain(`API key ${victor.keyId} was deactivated`);
    expect(theirs).toMatch(new RegExp(`Account ${victor.id} · by the operator account \\d+`));
    expect(theirs).toContain('Found in a repository');
    expect(await eventsOn(page).first().locator('time').getAttribute('datetime')).toMatch(/Z$/);
    await page.getByRole('link', { name: `API key ${victor.keyId}` }).click();
    await page.getByRole('heading', { level: 1, name: "victor's laptop" }).waitFor();
    await page.goBack();
    await page
      .getByRole('link', { name: `Account ${victor.id}`, exact: true })
      .first()
      .click();
    await page.getByRole('heading', { name: 'victor', exact: true }).waitFor();
  });

  it('shows more, and says how many; a screen reader goes on at the first of them', async () => {
    await using visit = await world.visit();
    const page = await open(visit, `?user=${wendy.id}`);
    await listed(page, 25);
    await page.getByRole('button', { name: 'Show more' }).click();
    await listed(page, 50);
    await said(page, '25 more');
    expect(await focused(page)).toBe((await eventsOn(page).nth(25).locator('p').first().innerText()).trim());
    await page.getByRole('button', { name: 'Show more' }).click();
    // The account, its key, and each change.
    await listed(page, many + 2);
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
  });

  it('has the filter in the address: a reload and Back keep it, and the form shows it', async () => {
    await using visit = await world.visit();
    const page = await open(visit);
    await listed(page, 25);
    await page.getByLabel('Account', { exact: true }).fill(` ${victor.id} `);
    await page.getByLabel('Done by').selectOption('An operator');
    await page.getByLabel('From').fill('2026-01-31T12:00');
    await chooseActions(page, 'Keys deactivated', 'Account blocked');
    await show(page);
    await listed(page, 1);
    const local = await page.evaluate(() => new Date('2026-01-31T12:00').toISOString());
    const filter = {
      action: 'api-key-deactivated,account-blocked',
      user: `${victor.id}`,
      actor: 'operator',
      from: local,
    };
    expect(filterOn(page)).toEqual(filter);
    const expectForm = async () => {
      expect(await page.getByLabel('Account', { exact: true }).inputValue()).toBe(`${victor.id}`);
      expect(await page.getByLabel('Done by').inputValue()).toBe('operator');
      expect(await page.getByLabel('From').inputValue()).toBe('2026-01-31T12:00');
      await page.getByText('Actions: Keys deactivated, Account blocked').waitFor();
    };
    await expectForm();
    await page.getByLabel('API key').fill('2147483647');
    await show(page);
    await page.getByText('No events match.').waitFor();
    await page.goBack();
    await listed(page, 1);
    expect(await page.getByLabel('API key').inputValue()).toBe('');
    await page.getByRole('link', { name: `API key ${victor.keyId}` }).click();
    await page.getByRole('heading', { name: 'Permissions and limits' }).waitFor();
    await page.goBack();
    await listed(page, 1);
    const address = page.url();
    await page.reload();
    await listed(page, 1).catch(async () => {
      await signInAs(visit, 'alice');
    });
    await listed(page, 1);
    expect(page.url()).toBe(address);
    await expectForm();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await listed(page, 25);
    expect(filterOn(page)).toEqual({});
    expect(await page.getByLabel('Done by').inputValue()).toBe('');
    await page.getByText('All actions').waitFor();
  });

  it('reads again if the same filter is asked for again, and not with the window', async () => {
    await using visit = await world.visit();
    const page = await open(visit, '?action=audit-trail-read&user=2147483647');
    await page.getByText('No events match.').waitFor();
    let reads = 0;
    page.on('request', (request) => (reads += Number(request.url().endsWith('/graphql'))));
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await Promise.all([page.waitForRequest('**/graphql'), show(page)]);
    await page.waitForLoadState('networkidle');
    expect(reads).toBe(1);
  });

  it('leaves out what is not valid in the address, and says so', async () => {
    await using visit = await world.visit();
    const page = await open(
      visit,
      `?user=${victor.id}&key=sk-abc&from=yesterday&actor=nobody&action=A%20B&to=`,
    );
    await page.getByText('not valid and were left out: Actions, Done by, API key, From.').waitFor();
    await listed(page, 4);
    await inspect(page, 'trail-wrong');
    await show(page);
    await expect.poll(() => filterOn(page)).toEqual({ user: `${victor.id}` });
    expect(await page.getByText('left out').count()).toBe(0);
    // Of a newer version of the service.
    await page.goto('console#operate/trail?action=key-taught');
    await page.getByText('Actions: key-taught').waitFor();
    await page.getByText('No events match.').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('says in the form what is not valid, and keeps what was typed', async () => {
    await using visit = await world.visit();
    const page = await open(visit);
    await listed(page, 25);
    await page.getByLabel('Account', { exact: true }).fill('wendy');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Must be a whole number').waitFor();
    expect(await focused(page)).toBe('Account');
    await inspect(page, 'trail-refused');
    await page.getByLabel('Account', { exact: true }).fill('');
    await page.getByLabel('API key').fill('2147483648');
    await show(page);
    expect(await focused(page)).toBe('API key');
    await page.getByLabel('API key').fill('');
    // Only a day, which a browser gives as an empty text.
    await page.getByLabel('From').focus();
    await page.keyboard.type('01');
    await show(page);
    await page.getByRole('alert').getByText('Must have a date and a time').waitFor();
    expect(filterOn(page)).toEqual({});
    await page.getByLabel('From').fill('2026-01-31T12:00');
    await show(page);
    await expect.poll(() => Object.keys(filterOn(page))).toEqual(['from']);
  });

  it('offers no more than ten actions at once', async () => {
    await using visit = await world.visit();
    const page = await open(visit);
    await page.locator('summary', { hasText: 'All actions' }).click();
    const boxes = page.locator('.trail-form').getByRole('checkbox');
    for (let index = 0; index < 10; index += 1) await boxes.nth(index).check();
    expect(await boxes.nth(10).isDisabled()).toBe(true);
    await show(page);
    await expect.poll(() => filterOn(page)['action']?.split(',').length).toBe(10);
    await boxes.first().uncheck();
    expect(await boxes.nth(10).isDisabled()).toBe(false);
  });

  it('is linked from the pages of accounts and of keys', async () => {
    await using visit = await world.visit();
    const page = await signInAsOperator(visit, 'alice', `#operate/${victor.id}`);
    await page.getByRole('link', { name: 'Show this account in the trail' }).click();
    await listed(page, 4);
    expect(filterOn(page)).toEqual({ user: `${victor.id}` });
    await page.goto(`console#operate/${victor.id}/keys/${victor.keyId}`);
    await page.getByRole('link', { name: 'Show this key in the trail' }).click();
    // The key was created, and deactivated: in two trails.
    await listed(page, 3);
    expect(filterOn(page)).toEqual({ key: `${victor.keyId}` });
  });

  it('works with the keyboard', async () => {
    await using visit = await world.visit();
    const page = await open(visit);
    await listed(page, 25);
    expect(await focused(page)).toBe('Trail');
    await tabTo(page, 'Account');
    await page.keyboard.type(`${victor.id}`);
    await tabTo(page, 'All actions');
    await page.keyboard.press('Space');
    await tabTo(page, 'Keys deactivated');
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await listed(page, 1);
    expect(await focused(page)).toBe('Keys deactivated');
    await tabTo(page, 'Download');
    const begun = page.waitForEvent('download');
    await page.keyboard.press('Enter');
    await begun;
    expect(await focused(page)).toBe('Download');
  });

  it('downloads what the API has, with the filter of the address', async () => {
    await using visit = await world.visit();
    const page = await open(visit, `?user=${wendy.id}&action=automation-settings-updated&actor=self`);
    await listed(page, 25);
    const { name, text } = await download(page);
    expect(name).toMatch(/^audit-events-\d{4}-\d\d-\d\d\.ndjson$/);
    expect(eventsIn(text)).toEqual(
      await linesOf(`user_id=${wendy.id}&action=automation-settings-updated&actor=self`),
    );
    expect(eventsIn(text)).toHaveLength(many);
    await said(page, `${many} events downloaded: ${name}`);
    // Reading it was recorded.
    await page.goto('console#operate/trail?action=audit-trail-read');
    await page.getByText('They read the audit events of all accounts').first().waitFor();
    await page.getByText(`Events: ${many}`).first().waitFor();
    expect(visit.complaints).toEqual([]);
    expect(visit.foreign()).toEqual([]);
  });

  it('downloads nothing but the last line if no events match', async () => {
    await using visit = await world.visit();
    const page = await open(visit, '?user=2147483647');
    await page.getByText('No events match.').waitFor();
    expect(eventsIn((await download(page)).text)).toEqual([]);
    await said(page, '0 events downloaded');
  });

  it.each([
    ['before the last line', (text: string) => text.replace(/[^\n]*\n$/, '')],
    ['in the middle of a line', (text: string) => text.slice(0, -40)],
    ['before the end of the last line', (text: string) => text.slice(0, -1)],
    ['before anything', () => ''],
  ])('saves nothing of what ended %s, and says so', async (_where, cut) => {
    await using visit = await world.visit();
    const page = await open(visit, `?user=${victor.id}`);
    await listed(page, 4);
    let files = 0;
    page.on('download', () => (files += 1));
    await page.route(downloads, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: cut(await response.text()) });
    });
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    await page.getByRole('alert').getByText('The download is incomplete, so nothing was saved.').waitFor();
    await inspect(page, 'trail-incomplete');
    await page.unroute(downloads);
    await page.getByRole('button', { name: 'Try again' }).click();
    await said(page, '4 events downloaded');
    expect(await focused(page)).toBe('Download');
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(files).toBe(1);
  });

  it.each(['cancelled', 'left'] as const)('a download that is %s saves nothing', async (how) => {
    await using visit = await world.visit();
    const page = await open(visit, `?user=${wendy.id}`);
    await listed(page, 25);
    let files = 0;
    page.on('download', () => (files += 1));
    const network = await slowDown(page);
    const failed = page.waitForEvent('requestfailed');
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    await page.getByText(/^\d+ events? so far$/).waitFor();
    if (how === 'left') await goTo(page, 'Private key');
    else {
      await inspect(page, 'trail-downloading');
      await page.getByRole('button', { name: 'Cancel download' }).click();
      await said(page, 'The download was cancelled. Nothing was saved.');
      expect(await focused(page)).toBe('Download');
    }
    expect((await failed).url()).toContain('/api/v1/admin/audit-events');
    expect(await page.getByRole('alert').count()).toBe(0);
    await network.restore();
    if (how === 'cancelled') {
      expect(eventsIn((await download(page)).text)).toHaveLength(many + 2);
      await said(page, `${many + 2} events downloaded`);
    }
    expect(files).toBe(how === 'left' ? 0 : 1);
  });

  it('saves nothing if the connection ends meanwhile', async () => {
    const { promise: answering, resolve: answer } = Promise.withResolvers<ServerResponse>();
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write('{"id":1}\n{"id":2}\n{"id":');
      answer(response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    await using _stopped = { [Symbol.asyncDispose]: async () => void server.close() };
    await using visit = await world.visit();
    const page = await open(visit, `?user=${victor.id}`);
    await listed(page, 4);
    let files = 0;
    page.on('download', () => (files += 1));
    const { port } = server.address() as AddressInfo;
    await page.route(downloads, (route) => route.continue({ url: `http://127.0.0.1:${port}/` }));
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    await page.getByText('2 events so far').waitFor();
    (await answering).destroy();
    await page.getByRole('alert').getByText('The connection ended after 2 events.').waitFor();
    expect(files).toBe(0);
  });

  it('says why the service refuses a download', async () => {
    await using visit = await world.visit();
    const page = await open(visit, `?user=${victor.id}`);
    await listed(page, 4);
    const refuse = async (status: number, headers: Record<string, string>, detail: unknown) => {
      await page.unroute(downloads);
      await page.route(downloads, (route) =>
        route.fulfill({ status, headers, contentType: 'application/json', body: JSON.stringify({ detail }) }),
      );
      await page
        .getByRole('button', { name: /^(Download|Try again)$/ })
        .last()
        .click();
    };
    await refuse(503, { 'retry-after': '30' }, 'Service Unavailable');
    await page.getByRole('alert').getByText('30 seconds', { exact: false }).waitFor();
    await refuse(403, {}, 'This account is blocked');
    await page.getByRole('alert').getByText('This account is blocked.').waitFor();
    await refuse(422, {}, [{ loc: ['query', 'key_id'], msg: 'Must be a number.' }]);
    await page.getByRole('alert').getByText('This account is blocked.').waitFor({ state: 'detached' });
    await page.getByRole('alert').waitFor();
    await page.unroute(downloads);
    await page.route(downloads, (route) => route.abort());
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('alert').getByText('cannot be reached', { exact: false }).waitFor();
  });

  it('gets a new token if the old one is refused', async () => {
    await using visit = await world.visit();
    const page = await open(visit, `?user=${victor.id}`);
    await listed(page, 4);
    let asked = 0;
    await page.route(downloads, (route) => {
      asked += 1;
      return asked === 1 ? route.fulfill({ status: 401 }) : route.continue();
    });
    expect(eventsIn((await download(page)).text)).toEqual(await linesOf(`user_id=${victor.id}`));
    expect(asked).toBe(2);
  });

  it.each(looks)('looks good and is accessible: %s', async (look, options) => {
    await using visit = await world.visit(options);
    const page = await open(visit);
    await listed(page, 25);
    await inspect(page, `trail-${look}`);
    await page.locator('summary', { hasText: 'All actions' }).click();
    await inspect(page, `trail-actions-${look}`);
    await page.goto(
      `console#operate/trail?user=${victor.id}&action=api-key-created,api-key-deactivated,account-created`,
    );
    await listed(page, 3);
    await inspect(page, `trail-filtered-${look}`);
    await page.goto('console#operate/trail?user=2147483647');
    await page.getByText('No events match.').waitFor();
    await inspect(page, `trail-none-${look}`);
    await page.goto(`console#operate/${victor.id}/keys/${victor.keyId}`);
    await page.getByRole('link', { name: 'Show this key in the trail' }).waitFor();
    await inspect(page, `trail-key-${look}`);
  });

  it.each(looks)('is all that an auditor sees of Operate: %s', async (look, options) => {
    await using visit = await world.visit(options);
    const page = await openConsole(visit, 'audrey');
    expect(await page.getByRole('link', { name: 'Operate', exact: true }).count()).toBe(0);
    await page.goto('console#operate');
    const become = page.getByRole('button', { name: 'Sign in as an auditor' });
    await become.waitFor();
    await inspect(page, `trail-entrance-${look}`);
    await become.click();
    await page.getByRole('heading', { level: 1, name: 'Trail' }).waitFor();
    await listed(page, 25);
    await inspect(page, `trail-auditor-${look}`);
    await goTo(page, 'API keys');
    await goTo(page, 'Operate');
    await page.goto(`console#operate/trail?user=${victor.id}&actor=operator`);
    await listed(page, 1);
    const links = () =>
      page
        .getByRole('main')
        .getByRole('link')
        .evaluateAll((all) => all.map((each) => each.getAttribute('href')));
    const [operator = ''] = /user=\d+$/.exec((await links()).at(-1) ?? '') ?? [];
    expect(await links()).toEqual([
      `#operate/trail?key=${victor.keyId}`,
      `#operate/trail?user=${victor.id}`,
      `#operate/trail?${operator}`,
    ]);
    await page.getByRole('link', { name: `API key ${victor.keyId}` }).click();
    await listed(page, 3);
    expect(filterOn(page)).toEqual({ key: `${victor.keyId}` });
    expect(eventsIn((await download(page)).text)).toEqual(await linesOf(`key_id=${victor.keyId}`));
    for (const place of ['', `/${victor.id}`, `/${victor.id}/keys/${victor.keyId}`, '/webhooks']) {
      await page.goto(`console#operate${place}`);
      await listed(page, 25);
      await page.getByRole('heading', { level: 1, name: 'Trail' }).waitFor();
    }
    expect(visit.complaints).toEqual([]);
  });

  it('speaks German', async () => {
    const { text } = german;
    await using visit = await world.visit({ locale: 'de-AT', viewport: { width: 320, height: 740 } });
    const { page } = visit;
    await page.goto('console#operate/trail');
    const popup = visit.context.waitForEvent('page');
    await page
      .getByRole('main')
      .getByRole('button', { name: text('console.sign-in') })
      .click();
    const provider = await popup;
    await provider.getByLabel('Another name').fill('greta');
    await provider.getByRole('button', { name: 'Continue', exact: true }).click();
    await page.getByRole('button', { name: text('operate.sign-in') }).click();
    await page.getByRole('heading', { level: 1, name: text('operate.trail') }).waitFor();
    await listed(page, 25);
    await page.locator('summary', { hasText: text('operate.trail-all-actions') }).click();
    const own = new Set(Object.values(textsOf('de')));
    const foreign = new Set(Object.values(textsOf('en')).filter((each) => !own.has(each)));
    const lines = (await page.locator('body').innerText()).split('\n').map((line) => line.trim());
    expect(lines.filter((line) => foreign.has(line))).toEqual([]);
    expect(lines).not.toContain(english.text('operate.trail-apply'));
    await inspect(page, 'trail', 'german');
  });
});
