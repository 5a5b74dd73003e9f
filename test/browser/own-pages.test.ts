import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Language } from '../../web/messages/language.ts';
import { answerOf, canRun, startWorld, stored, type Visit, type World } from '../support/browser.ts';
import { english, german, textsOf } from '../support/languages.ts';
import { kinds, startOwnPages } from '../support/own-pages.ts';
import { root } from '../support/process.ts';
import {
  call,
  clipboard,
  createKey,
  dialog,
  focused,
  inspect,
  isValid,
  keyRow,
  said,
  tabTo,
  takeSecret,
} from './console-person.ts';

/** When a key that is created now expires. */
const in90Days = ({ relative }: Language): string => {
  const now = new Date();
  return relative(new Date(now.getTime() + 89.99 * 86_400_000), now);
};

/** What a screen reader says of the button that opens a part of a key. */
const editLabel = ({ text, rich }: Language, part: 'name'): string =>
  [rich('key.edit', { part: text(`key.this-${part}`), hidden: (content) => content })].flat(3).join('');

type Site = Awaited<ReturnType<typeof startOwnPages>>;

/** All elements in the element, with their attributes. */
const insideOf = (page: Page) =>
  page.evaluate(() => document.querySelector('keyward-keys')?.shadowRoot?.innerHTML ?? '');

/** What the element told the page. */
const toldTo = (page: Page) => page.evaluate(() => globalThis.told ?? []);

describe.skipIf(!canRun)('keyward-keys in a provider’s page', () => {
  let site: Site;
  let world: World;
  let visits: Visit[];
  beforeAll(async () => {
    site = await startOwnPages();
    world = await startWorld({ CORS_ORIGINS: site.origin });
    site.useService(world.service.url);
    visits = [];
  });
  afterAll(async () => {
    for (const visit of visits) await visit[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
    await site?.[Symbol.asyncDispose]();
  });

  /** A person with a browser on one of the pages, and how often a token was asked for. */
  async function open(path: string, subject: string, { text }: Language) {
    const visit = await world.visit({ permissions: clipboard });
    visits.push(visit);
    const { page } = visit;
    let asked = 0;
    await page.exposeFunction('issueToken', (person: string) => {
      asked += 1;
      return world.service.token(person === 'alice' ? subject : person);
    });
    await page.goto(`${site.origin}${path}`);
    await page.getByRole('heading', { level: 2, name: text('keys.title') }).waitFor();
    return { ...visit, asked: () => asked };
  }

  const inLanguages = kinds.flatMap((kind) => [[kind, english] as const, [kind, german] as const]);

  describe.each(inLanguages.map(([kind, language]) => [kind, language.locale, language] as const))(
    '%s, %s',
    (kind, locale, language) => {
      const { text } = language;
      const subject = `${kind}-${locale}`;
      const path = locale === 'de' ? `/${kind}-de` : `/${kind}`;
      let visit: Awaited<ReturnType<typeof open>>;
      beforeAll(async () => {
        visit = await open(path, subject, language);
      });

      it('leaves the focus to the page at first', async () => {
        expect(await visit.page.evaluate(() => document.activeElement === document.body)).toBe(true);
      });

      it('creates the first key by keyboard, and shows its secret once', async () => {
        const { page } = visit;
        await tabTo(page, text('keys.create'));
        await page.keyboard.press('Enter');
        await page.keyboard.type('Mail robot');
        await page.keyboard.press('Enter');
        await dialog(page).getByLabel(text('keys.secret')).waitFor();
        const secret = await takeSecret(page, language);
        expect(await isValid(world, secret)).toBe(true);
        await keyRow(page, 'Mail robot').getByText(in90Days(language)).waitFor();
        expect(await insideOf(page)).toContain('Mail robot');
        expect(await insideOf(page)).not.toContain(secret);
        expect(await stored(page)).not.toContain(secret);
        const told = await toldTo(page);
        expect(told).toEqual([
          { name: 'key-created', detail: { id: expect.any(Number), name: 'Mail robot' } },
        ]);
        await expect.poll(() => focused(page)).toBe(text('keys.create'));
      });

      it('finds keys', async () => {
        const { page } = visit;
        await createKey(page, 'Build server', language);
        await page.getByRole('searchbox').fill('mail');
        await keyRow(page, 'Build server').waitFor({ state: 'detached' });
        await keyRow(page, 'Mail robot').waitFor();
        await page.getByRole('searchbox').fill('');
        await keyRow(page, 'Build server').waitFor();
      });

      it('opens a key’s page, which takes the focus, and changes its name', async () => {
        const { page } = visit;
        await keyRow(page, 'Build server').getByRole('link').click();
        await page.getByRole('heading', { level: 2, name: 'Build server' }).waitFor();
        await expect.poll(() => focused(page)).toBe('Build server');
        expect(new URL(page.url()).hash).toBe('');
        await page.getByRole('button', { name: editLabel(language, 'name'), exact: true }).click();
        await page.getByRole('textbox', { name: text('keys.name') }).fill('Release server');
        await page.getByRole('button', { name: text('key.save', { part: text('key.this-name') }) }).click();
        await said(page, text('key.saved', { part: text('key.part-name') }));
        await page.getByRole('heading', { level: 2, name: 'Release server' }).waitFor();
      });

      it('rotates, pauses and resumes a key', async () => {
        const { page } = visit;
        await page.getByRole('button', { name: text('key.rotate') }).click();
        await dialog(page)
          .getByRole('button', { name: text('key.rotate-submit') })
          .click();
        const secret = await takeSecret(page, language);
        expect(await isValid(world, secret)).toBe(true);
        await page.getByRole('button', { name: text('key.pause') }).click();
        await dialog(page)
          .getByRole('button', { name: text('key.pause-submit', { name: 'Release server' }) })
          .click();
        await said(page, text('key.paused', { name: 'Release server' }));
        expect(await isValid(world, secret)).toBe(false);
        await page.getByRole('button', { name: text('key.resume') }).click();
        await said(page, text('key.resumed', { name: 'Release server' }));
        expect(await isValid(world, secret)).toBe(true);
      });

      it('shows how a key is used', async () => {
        const { page } = visit;
        await expect
          .poll(
            async () => {
              await page.getByRole('link', { name: text('key.back') }).click();
              await keyRow(page, 'Release server').getByRole('link').click();
              return page
                .getByRole('img', { name: text('usage.chart-of', { summary: '' }).trim() })
                .isVisible();
            },
            { timeout: 45_000, interval: 1000 },
          )
          .toBe(true);
      });

      it('deactivates a key, and tells the page', async () => {
        const { page } = visit;
        await page.getByRole('button', { name: text('key.deactivate') }).click();
        await dialog(page)
          .getByRole('button', { name: text('key.deactivate-submit', { name: 'Release server' }) })
          .click();
        await said(page, text('key.deactivated', { name: 'Release server' }));
        const [last] = (await toldTo(page)).slice(-1);
        expect(last).toEqual({ name: 'key-deactivated', detail: { id: expect.any(Number) } });
      });

      it('goes on when the page is drawn again', async () => {
        const { page } = visit;
        if (kind === 'plain')
          await page.evaluate(() => {
            const element = document.querySelector('keyward-keys');
            if (element) Object.assign(element, { getToken: () => issueToken('alice') });
          });
        else {
          await page.getByRole('button', { name: 'Drawn again: 0' }).click();
          await page.getByRole('button', { name: 'Drawn again: 1' }).waitFor();
        }
        await page.getByRole('heading', { level: 2, name: 'Release server' }).waitFor();
      });

      it('asks for a token for each request, and the browser complains of nothing', async () => {
        expect(visit.asked()).toBeGreaterThan(15);
        expect(visit.complaints).toEqual([]);
        expect(visit.foreign().filter((url) => !url.startsWith(site.origin))).toEqual([]);
      });

      it('leaves nothing in another language', async () => {
        const { page } = visit;
        await page.getByRole('link', { name: text('key.back') }).click();
        await keyRow(page, 'Mail robot').waitFor();
        const shown = (await page.locator('keyward-keys').innerText()).split('\n');
        const other = locale === 'de' ? textsOf('en') : textsOf('de');
        const own = new Set(Object.values(locale === 'de' ? textsOf('de') : textsOf('en')));
        const foreign = new Set(Object.values(other).filter((each) => !own.has(each)));
        expect(shown.filter((line) => foreign.has(line.trim()))).toEqual([]);
        expect(
          await page.locator('keyward-keys .spoken').evaluate((content) => (content as HTMLElement).lang),
        ).toBe(locale);
      });

      it('is well made on a wide screen, and fits on 320 pixels', async () => {
        const { page } = visit;
        await inspect(page, `${kind}-${locale}-wide`, 'own-pages');
        await page.setViewportSize({ width: 320, height: 700 });
        await inspect(page, `${kind}-${locale}-narrow`, 'own-pages');
        await page.getByRole('button', { name: text('keys.create') }).click();
        await inspect(page, `${kind}-${locale}-dialog`, 'own-pages');
        await dialog(page)
          .getByRole('button', { name: text('common.cancel') })
          .click();
        await keyRow(page, 'Mail robot').getByRole('link').click();
        await page.getByRole('heading', { level: 3, name: text('key.history') }).waitFor();
        await inspect(page, `${kind}-${locale}-key`, 'own-pages');
      });
    },
  );

  /** A person with a browser on another page, which gets a token of whomever it names. */
  async function openAs(path: string) {
    const visit = await world.visit({ permissions: clipboard });
    visits.push(visit);
    await visit.page.exposeFunction('issueToken', (person: string) => world.service.token(person));
    await visit.page.goto(`${site.origin}${path}`);
    return visit;
  }

  /** The number of a person's account, which has a key. */
  async function accountWithKey(name: string): Promise<number> {
    const { key } = await call(world, name, 'POST /auth/keys', { name: `Key of ${name}` });
    return (await call(world, 'server', 'POST /keys/verify', { key }, 'keys.verify')).user_id;
  }

  const script = () => `<script type="module" src="${world.service.url}/elements/keyward.js"></script>`;
  const page = (body: string, head = script()) =>
    `<!doctype html><html lang="en"><head><title>Settings</title><link rel="icon" href="data:,">${head}</head><body><main><h1>Settings</h1>${body}</main></body></html>`;

  it('two elements for two people do not mix', async () => {
    const people = ['anna', 'berta'];
    site.add('/two', {
      html: page(`${people.map((name) => `<section id="${name}"><keyward-keys></keyward-keys></section>`).join('')}
<script>
for (const name of ${JSON.stringify(people)})
  document.querySelector('#' + name + ' keyward-keys').getToken = () => issueToken(name);
</script>`),
    });
    const visit = await openAs('/two');
    const of = (name: string) => visit.page.locator(`#${name}`);
    for (const name of people) {
      await of(name).getByRole('button', { name: 'Create API key' }).click();
      await dialog(visit.page).getByLabel('Name').fill(`Key of ${name}`);
      await dialog(visit.page).getByRole('button', { name: 'Create', exact: true }).click();
      await takeSecret(visit.page);
    }
    await of('anna').getByRole('link', { name: 'Key of anna' }).click();
    await of('anna').getByRole('heading', { level: 2, name: 'Key of anna' }).waitFor();
    await of('berta').getByRole('link', { name: 'Key of berta' }).waitFor();
    for (const [name, other] of [people, people.toReversed()])
      expect(
        await of(name ?? '')
          .getByText(`Key of ${other}`)
          .count(),
      ).toBe(0);
    await of('berta').getByRole('searchbox').fill('nothing');
    await of('anna').getByRole('heading', { level: 2, name: 'Key of anna' }).waitFor();
  });

  it('another person’s token → all is dropped, and what is theirs is shown', async () => {
    site.add('/change', {
      html: page(`<keyward-keys></keyward-keys><script>
var person = 'carla';
document.querySelector('keyward-keys').getToken = () => issueToken(person);
</script>`),
    });
    const visit = await openAs('/change');
    await createKey(visit.page, 'Key of carla');
    await visit.page.evaluate(() => Object.assign(globalThis, { person: 'dora' }));
    await keyRow(visit.page, 'Key of carla').getByRole('link').click();
    await visit.page
      .getByText('Create your first API key')
      .or(keyRow(visit.page, 'Laptop'))
      .first()
      .waitFor();
    expect(await visit.page.getByText('Key of carla').count()).toBe(0);
  });

  it('a server’s token → the keys of the account that the page names', async () => {
    const [lena, mona] = await Promise.all(['lena', 'mona'].map((name) => accountWithKey(name)));
    site.add('/account', {
      html: page(`<keyward-keys account="${lena}"></keyward-keys>
<script>document.querySelector('keyward-keys').getToken = () => issueToken('dashboard');</script>`),
    });
    const visit = await world.visit({ permissions: clipboard });
    visits.push(visit);
    await visit.page.exposeFunction('issueToken', (subject: string) =>
      world.service.token(subject, 'openid email profile accounts.act'),
    );
    await visit.page.goto(`${site.origin}/account`);
    await keyRow(visit.page, 'Key of lena').waitFor();
    await createKey(visit.page, 'For lena');
    await visit.page.evaluate(
      (account) => document.querySelector('keyward-keys')?.setAttribute('account', `${account}`),
      mona,
    );
    await keyRow(visit.page, 'Key of mona').waitFor();
    expect(await visit.page.getByText('lena').count()).toBe(0);
    expect(visit.complaints).toEqual([]);
  });

  describe('for an organisation', () => {
    type Roles = Readonly<Record<string, string>>;

    /** Creates a key of an organisation, as a member. */
    async function createFor(organization: string, subject: string): Promise<void> {
      const response = await fetch(`${world.service.url}/api/v1/auth/keys`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await world.service.token(subject, undefined, { [organization]: 'admin' })}`,
          'content-type': 'application/json',
          'keyward-organization': organization,
        },
        body: JSON.stringify({ name: `Key of ${organization}` }),
      });
      expect(response.status).toBe(201);
    }

    /** A member with a browser on a page for an organisation, and for whom each request was. */
    async function openFor(organization: string, subject: string, roles: Roles) {
      const path = `/for-${subject}`;
      site.add(path, {
        html: page(`<keyward-keys organization="${organization}"></keyward-keys>
<script>document.querySelector('keyward-keys').getToken = () => issueToken();</script>`),
      });
      const visit = await world.visit({ permissions: clipboard });
      visits.push(visit);
      const askedFor: (string | undefined)[] = [];
      visit.page.on('request', (request) => {
        if (request.method() === 'POST' && request.url() === `${world.service.url}/graphql`)
          askedFor.push(request.headers()['keyward-organization']);
      });
      await visit.page.exposeFunction('issueToken', () => world.service.token(subject, undefined, roles));
      await visit.page.goto(`${site.origin}${path}`);
      return { ...visit, askedFor };
    }

    const title = (on: Page, name: string) =>
      on.getByRole('heading', { level: 2, name: `API keys of ${name}`, exact: true });

    /** Changes the attribute. */
    const choose = (on: Page, organization: string) =>
      on.evaluate(
        (id) => document.querySelector('keyward-keys')?.setAttribute('organization', id),
        organization,
      );

    it('each request and the heading name it, and each key says who created it', async () => {
      await createFor('acme', 'nils');
      const { page: on, askedFor, complaints } = await openFor('acme', 'olga', { acme: 'admin' });
      await title(on, 'Acme').waitFor();
      await on.getByRole('columnheader', { name: 'Created by', exact: true }).waitFor();
      await on.getByRole('button', { name: 'Create API key', exact: true }).click();
      await dialog(on).getByText('This key will belong to Acme and stay when you leave.').waitFor();
      await dialog(on).getByRole('button', { name: 'Cancel' }).click();
      const secret = await createKey(on, 'Shared');
      expect(await call(world, 'server', 'POST /keys/verify', { key: secret }, 'keys.verify')).toMatchObject({
        valid: true,
        organization_id: 'acme',
      });
      const creatorOf = (name: string) => keyRow(on, name).getByRole('cell', { name: /^Created by:|Member/ });
      const creators = await Promise.all(
        ['Key of acme', 'Shared'].map((name) => creatorOf(name).textContent()),
      );
      expect(creators.map((text) => /Member \d+$/.exec(text ?? '')?.[0])).toEqual([
        expect.any(String),
        expect.any(String),
      ]);
      expect(creators[0]).not.toBe(creators[1]);
      await inspect(on, 'organization-wide', 'own-pages');
      await on.setViewportSize({ width: 320, height: 700 });
      await inspect(on, 'organization-narrow', 'own-pages');
      await keyRow(on, 'Shared').getByRole('link').click();
      await on.getByRole('heading', { level: 2, name: 'Shared of Acme', exact: true }).waitFor();
      await on.getByText(/^By: Member \d+$/).waitFor();
      expect(await on.title()).toBe('Settings');
      expect(askedFor.length).toBeGreaterThan(3);
      expect(new Set(askedFor)).toEqual(new Set(['acme']));
      expect(complaints).toEqual([]);
    });

    it('another organisation → nothing of the former is shown, nor when its response comes late', async () => {
      await Promise.all(['jasper', 'quartz'].map((organization) => createFor(organization, 'pia')));
      const roles = { jasper: 'admin', quartz: 'admin' };
      const { page: on } = await openFor('jasper', 'pia', roles);
      /** Holds the responses for an organisation; returns how many it holds, and what lets them go. */
      const hold = async (organization: string) => {
        const gate = Promise.withResolvers<void>();
        let held = 0;
        let sent = 0;
        await on.route(`${world.service.url}/graphql`, async (route) => {
          if (route.request().headers()['keyward-organization'] !== organization) return route.fallback();
          const response = await answerOf(route);
          held += 1;
          await gate.promise;
          await route.fulfill({ response }).catch(() => {});
          sent += 1;
          return undefined;
        });
        return { held: () => held, sent: () => sent, release: () => gate.resolve() };
      };
      await keyRow(on, 'Key of jasper').waitFor();
      const quartz = await hold('quartz');
      await choose(on, 'quartz');
      await expect.poll(quartz.held, { timeout: 10_000 }).toBeGreaterThan(1);
      expect((await insideOf(on)).toLowerCase()).not.toContain('jasper');
      quartz.release();
      await keyRow(on, 'Key of quartz').waitFor();
      await title(on, 'Quartz').waitFor();
      expect((await insideOf(on)).toLowerCase()).not.toContain('jasper');

      const jasper = await hold('jasper');
      await choose(on, 'jasper');
      await expect.poll(jasper.held, { timeout: 10_000 }).toBeGreaterThan(1);
      expect((await insideOf(on)).toLowerCase()).not.toContain('quartz');
      await choose(on, 'quartz');
      await keyRow(on, 'Key of quartz').waitFor();
      jasper.release();
      await expect.poll(jasper.sent).toBe(jasper.held());
      await on.waitForTimeout(300);
      expect((await insideOf(on)).toLowerCase()).not.toContain('jasper');
      await title(on, 'Quartz').waitFor();
      await keyRow(on, 'Key of quartz').waitFor();
    });

    it('who only reads sees the keys, and nothing that changes them', async () => {
      await createFor('readers', 'rosa');
      const { page: on, complaints } = await openFor('readers', 'sven', { readers: 'viewer' });
      await title(on, 'Readers').waitFor();
      await keyRow(on, 'Key of readers').waitFor();
      expect(await on.getByRole('button', { name: 'Create API key' }).count()).toBe(0);
      await on.getByRole('button', { name: 'Actions for Key of readers' }).click();
      const menu = on.getByRole('navigation', { name: 'Key of readers' });
      expect(await menu.getByRole('link').allTextContents()).toEqual(['Use, limits and secrets']);
      await menu.getByRole('link').click();
      await on.getByRole('heading', { level: 2, name: 'Key of readers of Readers', exact: true }).waitFor();
      await on.getByRole('heading', { level: 3, name: 'History' }).waitFor();
      const buttons = await on.getByRole('button').allInnerTexts();
      expect(buttons.filter((text) => /edit|pause|rotate|deactivate|default|end/i.test(text))).toEqual([]);
      expect(complaints).toEqual([]);
    });

    it('a member who has left → says so, and shows no keys', async () => {
      await createFor('former', 'tina');
      const { page: on } = await openFor('former', 'tina', { other: 'admin' });
      await on.getByText('Organization not found: the access token does not name it.').first().waitFor();
      expect(await on.getByRole('row').count()).toBe(0);
    });
  });

  it('goes on if it is moved, and ends if it is removed', async () => {
    site.add('/moved', {
      html: page(`<div id="one"><keyward-keys></keyward-keys></div><div id="two"></div>
<script>document.querySelector('keyward-keys').getToken = () => issueToken('hanna');</script>`),
    });
    const visit = await world.visit({ permissions: clipboard });
    visits.push(visit);
    const asked: string[] = [];
    await visit.page.exposeFunction('issueToken', (person: string) => {
      asked.push(person);
      return world.service.token(person);
    });
    await visit.page.goto(`${site.origin}/moved`);
    await visit.page.getByRole('button', { name: 'Create API key' }).click();
    await dialog(visit.page).getByRole('button', { name: 'Create', exact: true }).click();
    await dialog(visit.page).getByLabel('Secret').waitFor();
    const secret = await dialog(visit.page).getByLabel('Secret').inputValue();
    await visit.page.evaluate(() => {
      const element = document.querySelector('keyward-keys');
      if (element) document.querySelector('#two')?.append(element);
      element?.removeAttribute('account');
    });
    await visit.page.waitForTimeout(300);
    expect(await visit.page.getByLabel('Secret').inputValue()).toBe(secret);
    const before = asked.length;
    await visit.page.evaluate(() => document.querySelector('keyward-keys')?.remove());
    await visit.page.waitForTimeout(300);
    expect(asked).toHaveLength(before);
    expect(await visit.page.getByLabel('Secret').count()).toBe(0);
  });

  it('a person who signs out → all is dropped', async () => {
    site.add('/out', {
      html: page(`<keyward-keys></keyward-keys><script>
var person = 'ida';
document.querySelector('keyward-keys').getToken = async () => person && issueToken(person);
</script>`),
    });
    const visit = await openAs('/out');
    await createKey(visit.page, 'Key of ida');
    await visit.page.evaluate(() => Object.assign(globalThis, { person: null }));
    await keyRow(visit.page, 'Key of ida').getByRole('link').click();
    await visit.page.getByText('You are not signed in.').first().waitFor();
    expect(await visit.page.getByText('Key of ida').count()).toBe(0);
  });

  it('nobody is signed in → says so, and asks again', async () => {
    site.add('/nobody', {
      html: page(`<keyward-keys></keyward-keys><script>
var token = null;
document.querySelector('keyward-keys').getToken = async () => token;
</script>`),
    });
    const visit = await world.visit();
    visits.push(visit);
    await visit.page.goto(`${site.origin}/nobody`);
    await visit.page.getByText('You are not signed in.').waitFor();
    const token = await world.service.token('emma');
    await visit.page.evaluate((value) => Object.assign(globalThis, { token: value }), token);
    await visit.page.getByRole('button', { name: 'Try again' }).click();
    await visit.page
      .getByText('Create your first API key')
      .or(keyRow(visit.page, 'Laptop'))
      .first()
      .waitFor();
  });

  it('a page of an origin that is not allowed gets nothing, and is told the setting', async () => {
    await using other = await startOwnPages();
    other.useService(world.service.url);
    const visit = await world.visit();
    visits.push(visit);
    await visit.page.exposeFunction('issueToken', (person: string) => world.service.token(person));
    await visit.page.goto(`${other.origin}/plain`);
    const sentence = `Keyward does not accept requests from this page: CORS_ORIGINS lacks ${other.origin}.`;
    await visit.page.getByText(sentence).waitFor();
    const told = await toldTo(visit.page);
    expect(told).toContainEqual({
      name: 'error',
      detail: { kind: 'network', message: sentence, requestId: null },
    });
    expect(await visit.page.getByRole('row').count()).toBe(0);
  });

  /** The hashes of files by their URLs. */
  const absolute = (integrity: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(integrity).map(([path, value]) => [new URL(path, world.service.url).href, value]),
    );

  it('works by its hashes alone: script-src names no origin', async () => {
    const response = await fetch(`${world.service.url}/elements/keyward.json`);
    const { module, integrity } = (await response.json()) as {
      module: string;
      integrity: Record<string, string>;
    };
    const inline = [
      JSON.stringify({ integrity: absolute(integrity) }),
      "document.querySelector('keyward-keys').getToken = () => issueToken('frida');",
    ] as const;
    const hashes = inline.map((text) => `sha384-${hash('sha384', text, 'base64')}`);
    const own = `<script type="importmap">${inline[0]}</script>
<script type="module" src="${new URL(module, world.service.url)}" integrity="${integrity[module]}"></script>`;
    site.add('/hash', {
      html: page(`<keyward-keys></keyward-keys><script>${inline[1]}</script>`, own),
      policy: [
        "default-src 'none'",
        `script-src ${[...hashes, ...Object.values(integrity)].map((each) => `'${each}'`).join(' ')}`,
        `connect-src ${world.service.url}/`,
        'img-src data:',
        "require-trusted-types-for 'script'",
      ].join('; '),
    });
    const visit = await openAs('/hash');
    await createKey(visit.page, 'By hash');
    await keyRow(visit.page, 'By hash').getByRole('link').click();
    await visit.page.getByRole('heading', { level: 3, name: 'History' }).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('works as documented, and takes the look that it is given', async () => {
    const text = readFileSync(join(root, 'docs/own-pages.md'), 'utf8');
    const blocksOf = (language: string) =>
      [...text.matchAll(/^```(\w+)\n(.*?)^```/gms)].flatMap(([, name, block]) =>
        name === language && block !== undefined ? [block] : [],
      );
    const [html = ''] = blocksOf('html');
    const styles = blocksOf('css').join('');
    site.add('/documented', {
      html: page(
        html.replaceAll('https://keys.example.com', world.service.url),
        `<style>:root { font-family: monospace; color-scheme: dark } ${styles}</style>`,
      ),
    });
    site.add('/my-access-token', { html: await world.service.token('greta') });
    const visit = await world.visit({ permissions: clipboard });
    visits.push(visit);
    await visit.page.goto(`${site.origin}/documented`);
    await createKey(visit.page, 'As documented');
    const create = visit.page.getByRole('button', { name: 'Create API key' });
    const look = await create.evaluate((button) => {
      const { backgroundColor, textTransform, borderRadius, fontFamily } = getComputedStyle(button);
      return { backgroundColor, textTransform, borderRadius, fontFamily };
    });
    expect(look).toEqual({
      backgroundColor: 'rgb(124, 58, 237)',
      textTransform: 'uppercase',
      borderRadius: '4px',
      fontFamily: 'monospace',
    });
    // Light text: the page is dark.
    const color = await visit.page
      .getByRole('heading', { level: 2, name: 'API keys' })
      .evaluate((heading) => getComputedStyle(heading).color);
    expect(color).toBe('rgb(230, 236, 234)');
  });

  it('speaks the language of its attribute, of what is around it, or English', async () => {
    site.add('/languages', {
      html: page(`<keyward-keys id="own" locale="de-AT"></keyward-keys>
<div lang="de"><keyward-keys id="around"></keyward-keys></div>
<keyward-keys id="unknown" locale="tlh"></keyward-keys>
<keyward-keys id="wrong" locale="de_AT!"></keyward-keys>
<script>for (const element of document.querySelectorAll('keyward-keys')) element.getToken = () => issueToken('jana');</script>`),
    });
    const visit = await openAs('/languages');
    const titleOf = (id: string) => visit.page.locator(`#${id}`).getByRole('heading', { level: 2 }).first();
    for (const [id, title] of [
      ['own', 'API-Schlüssel'],
      ['around', 'API-Schlüssel'],
      ['unknown', 'API keys'],
      ['wrong', 'API keys'],
    ] as const)
      await expect.poll(() => titleOf(id).textContent(), { timeout: 10_000 }).toBe(title);
    await visit.page.evaluate(() => document.querySelector('#own')?.setAttribute('locale', 'en-US'));
    await expect.poll(() => titleOf('own').textContent(), { timeout: 10_000 }).toBe('API keys');
    expect(await titleOf('around').textContent()).toBe('API-Schlüssel');
  });

  it.each(['en-GB', 'de'])(
    'has at most 45 kB for the list and its dialogs, texts included: %s',
    async (locale) => {
      const visit = await world.visit();
      visits.push(visit);
      site.add('/weight', {
        html: page(`<keyward-keys locale="${locale}"></keyward-keys>
<script>document.querySelector('keyward-keys').getToken = () => issueToken('kim');</script>`),
      });
      await visit.page.exposeFunction('issueToken', (person: string) => world.service.token(person));
      // The address and the history of the page are the page's.
      const { module } = await (await fetch(`${world.service.url}/elements/keyward.json`)).json();
      const code = await (await fetch(new URL(module, world.service.url))).text();
      expect(code).toContain('customElements');
      expect(code).not.toMatch(/popstate|hashchange|replaceState/);
      const sizes: Promise<readonly [string, number]>[] = [];
      visit.page.on('response', (response) => {
        const url = response.url();
        if (url.includes('/elements/'))
          sizes.push(
            response
              .request()
              .sizes()
              .then(({ responseBodySize }) => [url, responseBodySize] as const),
          );
      });
      await visit.page.goto(`${site.origin}/weight`);
      await visit.page.locator('keyward-keys').getByRole('button').first().waitFor();
      await visit.page.waitForLoadState('networkidle');
      const loaded = await Promise.all(sizes);
      const total = loaded.reduce((sum, [, size]) => sum + size, 0);
      process.stdout.write(`${locale}: ${total} bytes in ${loaded.length} files\n`);
      expect(loaded.some(([url]) => url.endsWith('/main.json'))).toBe(true);
      expect(total).toBeLessThanOrEqual(45_000);
    },
  );
});
