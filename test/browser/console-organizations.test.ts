import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountAdmin } from '../../src/auth/scopes.ts';
import { answerOf, canRun, startWorld, stored, type Visit, type World } from '../support/browser.ts';
import {
  between,
  call,
  clipboard,
  createKey,
  dialog,
  focused,
  goTo,
  inspect,
  keyRow,
  looks,
  signInAs,
  signInAsOperator,
  tabTo,
} from './console-person.ts';
import { useReference } from './reference-person.ts';

type Roles = Readonly<Record<string, string>>;

const views = ['Usage', 'Private key', 'Automation', 'Activity', 'API keys'];

describe.skipIf(!canRun)('organisations', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ ADMIN: 'on' });
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  const visitWith = (options: object = {}) =>
    world.visit({ ...options, reducedMotion: 'reduce', permissions: clipboard });

  /** Gives a page tokens that name these organisations from now on, as if the provider had changed them. */
  const giveRoles = (page: Page, name: string, roles: Roles) =>
    page.route('**/idp/token', async (route) => {
      const response = await answerOf(route);
      const token = await world.service.token(name, accountAdmin.join(' '), roles);
      await route.fulfill({ response, json: { ...(await response.json()), access_token: token } });
    });

  /** Opens a page as a member of organisations. */
  const openAs = async (visit: Visit, name: string, roles: Roles, path: string): Promise<Page> => {
    const { page } = visit;
    await giveRoles(page, name, roles);
    await page.goto(path);
    await signInAs(visit, name);
    await page.getByRole('navigation', { name: 'Console' }).waitFor();
    return page;
  };

  const toggle = (page: Page) => page.locator('.sign-in-toggle');
  const choices = (page: Page) => page.getByRole('navigation', { name: 'Accounts' }).getByRole('link');
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
  const titleOf = (page: Page) => page.locator('h1').textContent();

  const choose = async (page: Page, name: string | RegExp) => {
    await toggle(page).click();
    await choices(page).filter({ hasText: name }).click();
  };

  const callFor = async (name: string, roles: Roles, organization: string, request: string, body = {}) => {
    const [method = '', path] = request.split(' ');
    const response = await fetch(`${world.service.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await world.service.token(name, accountAdmin.join(' '), roles)}`,
        'content-type': 'application/json',
        'keyward-organization': organization,
      },
      ...(method !== 'GET' && { body: JSON.stringify(body) }),
    });
    expect(response.ok).toBe(true);
    return response.json();
  };

  /** Notes for whom each request to the API was. */
  const watchRequests = (page: Page) => {
    const seen: (string | undefined)[] = [];
    page.on('request', (request: Request) => {
      if (request.url() === `${world.service.url}/graphql`)
        seen.push(request.headers()['keyward-organization']);
    });
    return seen;
  };

  describe.each(looks)('%s', (look, options) => {
    it('a key for the organisation: created, found in a new tab, still there after a reload', async () => {
      const [name, organization] = [`mia-${look}`, `north-${look}`];
      await using visit = await visitWith(options);
      const page = await openAs(visit, name, { [organization]: 'admin' }, 'console');
      await createKey(page, 'Own');
      const seen = watchRequests(page);
      await toggle(page).click();
      expect(await choices(page).allTextContents()).toEqual([
        `${name}Your own account`,
        `North-${look}You can make changes`,
      ]);
      await inspect(page, `organization-menu-${look}`);
      await choices(page).last().click();
      await heading(page, `API keys of North-${look}`).waitFor();
      expect(new URL(page.url()).searchParams.get('organization')).toBe(organization);
      expect(await page.title()).toBe(`API keys of North-${look} · Keyward`);
      expect(await toggle(page).textContent()).toBe(`North-${look}`);
      await page.getByText('No API keys yet').waitFor();
      expect(await page.getByText('Own', { exact: true }).count()).toBe(0);

      await page.getByRole('button', { name: 'Create API key', exact: true }).click();
      await dialog(page)
        .getByText(`This key will belong to North-${look} and stay when you leave.`)
        .waitFor();
      await inspect(page, `organization-create-${look}`);
      await dialog(page).getByRole('button', { name: 'Cancel' }).click();
      const secret = await createKey(page, 'Shared');
      expect(await keyRow(page, 'Shared').textContent()).toContain('You');
      await inspect(page, `organization-list-${look}`);
      expect(new Set(seen)).toEqual(new Set([organization]));
      const verified = await call(world, 'server', 'POST /keys/verify', { key: secret }, 'keys.verify');
      expect(verified).toMatchObject({
        valid: true,
        owner_kind: 'organization',
        organization_id: organization,
      });

      for (const view of views) {
        await goTo(page, view);
        await heading(page, `${view} of North-${look}`).waitFor();
      }
      await openKeyOf(page, 'Shared', `North-${look}`);
      await page.getByText('By: You').waitFor();
      await inspect(page, `organization-key-${look}`);
      await page.reload();
      await heading(page, `Shared of North-${look}`).waitFor();

      // A new tab, by the address alone.
      const other = await visit.context.newPage();
      await giveRoles(other, name, { [organization]: 'admin' });
      await other.goto(`console?organization=${organization}#keys`);
      const popup = visit.context.waitForEvent('page');
      await other.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
      await popup;
      await heading(other, `API keys of North-${look}`).waitFor();
      await keyRow(other, 'Shared').waitFor();
      // The links to the other pages are for the same account.
      const pages = other.getByRole('navigation', { name: 'Pages' }).getByRole('link');
      expect(
        await pages.evaluateAll((links) =>
          links.map((link) => new URL(link.getAttribute('href') ?? '', location.href).search),
        ),
      ).toEqual(Array(3).fill(`?organization=${organization}`));

      await choose(other, 'Your own account');
      await heading(other, 'API keys').waitFor();
      await keyRow(other, 'Own').waitFor();
      expect(new URL(other.url()).search).toBe('');
    });

    it('who only reads sees everything, and no button that would be refused', async () => {
      const [admin, reader, organization] = [`ada-${look}`, `ron-${look}`, `south-${look}`];
      const { id } = await callFor(admin, { [organization]: 'admin' }, organization, 'POST /auth/keys', {
        name: 'Build',
        expires_at: new Date(Date.now() + 5 * 86_400_000).toISOString(),
      });
      await callFor(admin, { [organization]: 'admin' }, organization, `POST /auth/keys/${id}/rotate`, {
        grace_seconds: 86_400,
      });
      await using visit = await visitWith(options);
      const page = await openAs(
        visit,
        reader,
        { [organization]: 'member' },
        `console?organization=${organization}`,
      );
      const said = `You can look at everything that South-${look} has here, but your role does not allow changes.`;
      await page.getByText(said).waitFor();
      await keyRow(page, 'Build').waitFor();
      expect(await keyRow(page, 'Build').textContent()).toMatch(/Member \d+/);
      const allowed =
        /^(?:Actions for Build|Dismiss|South-.*|.*range.*|Sign out|Sign in as an operator|Copy.*)$/;
      const buttons = async () =>
        (await page.getByRole('main').getByRole('button').allInnerTexts())
          .map((text) => text.replace(/\s+/g, ' ').trim())
          .filter((text) => text !== '' && text !== '⋯' && !allowed.test(text));
      expect(await buttons()).toEqual([]);
      await page.getByRole('button', { name: 'Actions for Build' }).click();
      expect(
        await page.getByRole('navigation', { name: 'Build' }).getByRole('link').allTextContents(),
      ).toEqual(['Use, limits and secrets']);
      await inspect(page, `organization-reader-${look}`);
      await page.keyboard.press('Escape');
      for (const view of views.slice(0, -1)) {
        await goTo(page, view);
        await heading(page, `${view} of South-${look}`).waitFor();
        await page.getByText(said).waitFor();
        expect(await buttons()).toEqual([]);
        expect(await page.getByRole('switch').count()).toBe(0);
      }
      for (const query of ['do=rotate', 'do=deactivate', 'do=pause', 'edit=name', 'edit=expiresAt']) {
        await page.goto(`console?organization=${organization}#keys/${id}?${query}`);
        await page.reload();
        await heading(page, `Build of South-${look}`).waitFor();
        await page.getByText('Previous secret', { exact: true }).waitFor();
        expect(await dialog(page).count()).toBe(0);
        expect(await page.getByRole('main').locator('form').count()).toBe(0);
        expect(await buttons()).toEqual([]);
      }
      await inspect(page, `organization-reader-key-${look}`);
    });

    it('a role that is lost in the middle: the refusal is explained in place, and nothing typed is lost', async () => {
      const [name, organization] = [`lou-${look}`, `east-${look}`];
      await using visit = await visitWith(options);
      const page = await openAs(
        visit,
        name,
        { [organization]: 'admin' },
        `console?organization=${organization}`,
      );
      await heading(page, `API keys of East-${look}`).waitFor();
      await page.getByRole('button', { name: 'Create API key', exact: true }).click();
      await dialog(page).getByLabel('Name').fill('Typed');
      let roles: Roles = { [organization]: 'member' };
      await using _between = await between(page, async (route) => {
        const token = await world.service.token(name, accountAdmin.join(' '), roles);
        await route.continue({
          headers: { ...route.request().headers(), authorization: `Bearer ${token}` },
        });
      });
      await dialog(page).getByRole('button', { name: 'Create', exact: true }).click();
      await dialog(page)
        .getByText('Your role in this organization does not allow this. Roles that do: admin.')
        .waitFor();
      expect(await dialog(page).getByLabel('Name').inputValue()).toBe('Typed');
      await inspect(page, `organization-role-lost-${look}`);
      // Then the membership.
      roles = {};
      await dialog(page).getByRole('button', { name: 'Create', exact: true }).click();
      await dialog(page).getByText('Organization not found: the access token does not name it.').waitFor();
      expect(await dialog(page).getByLabel('Name').inputValue()).toBe('Typed');
      // And both are there again.
      roles = { [organization]: 'admin' };
      await dialog(page).getByRole('button', { name: 'Create', exact: true }).click();
      await dialog(page).getByText('Typed was created').waitFor();
    });

    it('signs out, and somebody else signs in: nothing of the organisation is left', async () => {
      const [name, organization] = [`ina-${look}`, `west-${look}`];
      await using visit = await visitWith(options);
      const page = await openAs(
        visit,
        name,
        { [organization]: 'admin' },
        `console?organization=${organization}`,
      );
      await heading(page, `API keys of West-${look}`).waitFor();
      await createKey(page, 'Confidential');
      await openKeyOf(page, 'Confidential', `West-${look}`);
      const id = /#keys\/(\d+)/.exec(page.url())?.[1];
      for (const view of ['Activity', 'Usage']) {
        await goTo(page, view);
        await heading(page, `${view} of West-${look}`).waitFor();
      }
      await toggle(page).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      const nothingLeft = async () => {
        const texts = [await page.content(), await page.title(), await stored(page)].join('\n');
        for (const part of [organization, `West-${look}`, 'Confidential', `keys/${id}`])
          expect(texts).not.toContain(part);
      };
      await page.getByRole('main').getByRole('button', { name: 'Sign in' }).waitFor();
      await nothingLeft();
      await page.unroute('**/idp/token');
      const popup = visit.context.waitForEvent('page');
      await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
      const provider = await popup;
      await provider.getByLabel('Another name').fill(`other-${look}`);
      await provider.getByRole('button', { name: 'Continue', exact: true }).click();
      await page.getByRole('navigation', { name: 'Console' }).waitFor();
      await nothingLeft();
      for (let steps = 0; steps < 5; steps += 1) {
        await page.goBack();
        await page.waitForTimeout(100);
        if (!page.url().startsWith(world.service.url)) break;
        await nothingLeft();
      }
    });
  });

  /** Opens the page of an organisation's key. */
  const openKeyOf = async (page: Page, name: string, organization: string) => {
    await goTo(page, 'API keys');
    await keyRow(page, name).getByRole('link', { name, exact: true }).click();
    await heading(page, `${name} of ${organization}`).waitFor();
  };

  it('by keyboard alone: chooses the organisation, and creates a key', async () => {
    await using visit = await visitWith();
    const page = await openAs(visit, 'kai', { keys: 'admin' }, 'console');
    await heading(page, 'API keys').waitFor();
    await toggle(page).focus();
    await page.keyboard.press('Enter');
    await tabTo(page, 'KeysYou can make changes');
    await page.keyboard.press('Enter');
    await heading(page, 'API keys of Keys').waitFor();
    expect(await focused(page)).toBe('API keys of Keys');
    await tabTo(page, 'Create API key');
    await page.keyboard.press('Enter');
    await dialog(page).getByLabel('Name').waitFor();
    await page.keyboard.type('Typed by hand');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('Typed by hand was created').waitFor();
  });

  it('two tabs for two accounts at once do not cross', async () => {
    await using visit = await visitWith();
    const roles = { first: 'admin', second: 'admin' };
    const one = await openAs(visit, 'tom', roles, 'console?organization=first');
    const other = await visit.context.newPage();
    await giveRoles(other, 'tom', roles);
    await other.goto('console?organization=second');
    const popup = visit.context.waitForEvent('page');
    await other.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
    await popup;
    await heading(other, 'API keys of Second').waitFor();
    const [ofOne, ofOther] = [watchRequests(one), watchRequests(other)];
    await createKey(one, 'Of the first');
    await createKey(other, 'Of the second');
    for (const view of views) await Promise.all([goTo(one, view), goTo(other, view)]);
    await keyRow(one, 'Of the first').waitFor();
    await keyRow(other, 'Of the second').waitFor();
    expect(await one.getByText('Of the second').count()).toBe(0);
    expect(await other.getByText('Of the first').count()).toBe(0);
    expect(new Set(ofOne)).toEqual(new Set(['first']));
    expect(new Set(ofOther)).toEqual(new Set(['second']));
  });

  it('an answer that comes late is not shown in the view of another account', async () => {
    await callFor('ben', { slow: 'admin' }, 'slow', 'POST /auth/keys', { name: 'Late' });
    await using visit = await visitWith();
    const page = await openAs(visit, 'ben', { slow: 'admin' }, 'console');
    await createKey(page, 'Mine');
    const held = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    await using _between = await between(page, async (route) => {
      if (route.request().headers()['keyward-organization'] !== 'slow') return route.continue();
      const response = await answerOf(route);
      await held.promise;
      await route.fulfill({ response }).catch(() => {});
      answered.resolve();
    });
    await choose(page, 'Slow');
    await heading(page, 'API keys of Slow').waitFor();
    // Nothing of one account is shown under the name of the other for a moment.
    expect(await page.getByText('Mine').count()).toBe(0);
    await choose(page, 'Your own account');
    await keyRow(page, 'Mine').waitFor();
    held.resolve();
    await answered.promise;
    await goTo(page, 'Automation');
    await goTo(page, 'API keys');
    await keyRow(page, 'Mine').waitFor();
    expect(await page.getByText('Late').count()).toBe(0);
  });

  it('Back leads to the account before, and asks before what was typed is lost', async () => {
    await using visit = await visitWith();
    const page = await openAs(visit, 'eva', { back: 'admin' }, 'console#automation');
    await page.getByRole('switch', { name: 'Automation' }).waitFor();
    await choose(page, 'Back');
    await heading(page, 'Automation of Back').waitFor();
    await page.getByLabel('Session length').fill('2 h');
    const questions: string[] = [];
    let leaves = false;
    page.on('dialog', (question) => {
      questions.push(question.message());
      return leaves ? question.accept() : question.dismiss();
    });
    await page.goBack();
    await expect.poll(() => questions).toEqual(['Discard the changes that are not saved?']);
    await expect.poll(() => new URL(page.url()).searchParams.get('organization')).toBe('back');
    await choose(page, 'Your own account');
    await expect.poll(() => questions).toHaveLength(2);
    expect(await page.getByLabel('Session length').inputValue()).toBe('2 h');
    expect(await titleOf(page)).toBe('Automation of Back');
    leaves = true;
    await choose(page, 'Your own account');
    await heading(page, 'Automation').waitFor();
    expect(questions).toHaveLength(3);
    expect(await page.getByLabel('Session length').inputValue()).toBe('');
    await page.goBack();
    await heading(page, 'Automation of Back').waitFor();
    expect(questions).toHaveLength(3);
  });

  it('a way that was not followed is no way back to the organisation after a sign-out', async () => {
    await using visit = await visitWith();
    const page = await openAs(visit, 'zoe', { path: 'admin' }, 'console?organization=path#automation');
    await page.getByLabel('Session length').fill('2 h');
    let leaves = false;
    page.on('dialog', (question) => (leaves ? question.accept() : question.dismiss()));
    await goTo(page, 'Usage');
    await expect.poll(() => new URL(page.url()).hash).toBe('#automation');
    leaves = true;
    await goTo(page, 'Activity');
    await heading(page, 'Activity of Path').waitFor();
    await toggle(page).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('main').getByRole('button', { name: 'Sign in' }).waitFor();
    for (let steps = 0; steps < 4; steps += 1) {
      await page.goBack();
      await page.waitForTimeout(100);
      if (!page.url().startsWith(world.service.url)) break;
      expect(new URL(page.url()).search).toBe('');
    }
  });

  it('somebody else who signs in after a reload uses the page for themselves', async () => {
    await using visit = await visitWith();
    const page = await openAs(visit, 'eli', { first: 'admin' }, 'console?organization=first#activity');
    await heading(page, 'Activity of First').waitFor();
    // The provider has forgotten them.
    await visit.context.clearCookies();
    await page.reload();
    await page.getByRole('main').getByRole('button', { name: 'Sign in' }).waitFor();
    await page.unroute('**/idp/token');
    await signInAs(visit, 'eve');
    await heading(page, 'Activity').waitFor();
    expect(new URL(page.url()).search).toBe('');
    expect(await stored(page)).not.toMatch(/first|eli/);
  });

  it('a click with Ctrl opens another tab, and this one stays', async () => {
    await using visit = await visitWith();
    const page = await openAs(visit, 'uma', { tabs: 'admin' }, 'console');
    await goTo(page, 'Usage');
    await heading(page, 'Usage').waitFor();
    await toggle(page).click();
    const opened = visit.context.waitForEvent('page');
    await choices(page)
      .filter({ hasText: 'Tabs' })
      .click({ modifiers: ['Control'] });
    expect(new URL((await opened).url()).href).toBe(`${world.service.url}/console?organization=tabs#usage`);
    expect(await titleOf(page)).toBe('Usage');
  });

  it('a stranger learns that they do not belong, and nothing else', async () => {
    await callFor('sue', { closed: 'admin' }, 'closed', 'POST /auth/keys', { name: 'Hidden' });
    await using visit = await visitWith();
    const page = await openAs(visit, 'max', {}, 'console?organization=closed');
    await page
      .getByText('You do not belong to closed, or your role there does not let you see anything.')
      .waitFor();
    const text = await page.locator('body').innerText();
    await inspect(page, 'organization-stranger');
    await page.goto('console?organization=nobody');
    await page.getByText('You do not belong to nobody').waitFor();
    expect((await page.locator('body').innerText()).replaceAll('nobody', 'closed')).toBe(text);
    // What no header field can carry is nobody's id.
    await page.goto(`console?organization=${encodeURIComponent('Süd\n')}`);
    await page.getByText('You do not belong to Süd').waitFor();
    await page.getByRole('link', { name: 'Go to your own account' }).click();
    await heading(page, 'API keys').waitFor();
    expect(visit.complaints.filter((text) => !/404/.test(text))).toEqual([]);
  });

  it('activity names the member, in both trails; a member who was erased is a former one', async () => {
    const roles = { trail: 'admin' };
    const { id } = await callFor('ole', roles, 'trail', 'POST /auth/keys', { name: 'By Ole' });
    await callFor('ole', roles, 'trail', `POST /auth/keys/${id}/pause`, {});
    await using visit = await visitWith();
    const page = await openAs(visit, 'lea', roles, 'console?organization=trail');
    await createKey(page, 'By Lea');
    await goTo(page, 'Activity');
    const events = page.locator('.events li');
    const eventOf = async (deed: RegExp) => (await events.filter({ hasText: deed }).allTextContents()).join();
    await expect.poll(() => eventOf(/By Lea.*was created/)).toContain('By you');
    const ole = /By member (\d+)/.exec(await eventOf(/By Ole.*was created/))?.[1];
    expect(ole).toBeDefined();
    expect(await eventOf(/By Ole.*was paused/)).toContain(`By member ${ole}`);
    await openKeyOf(page, 'By Lea', 'Trail');
    await goTo(page, 'API keys');
    await page.getByRole('radio', { name: /^All/ }).focus();
    await page.keyboard.press('Space');
    expect(await keyRow(page, 'By Ole').textContent()).toContain(`Member ${ole}`);
    await openKeyOf(page, 'By Ole', 'Trail').catch(() => {});
    await page.goto(`console?organization=trail#keys/${id}`);
    await page.getByText('Paused by a member').waitFor();

    await choose(page, 'Your own account');
    await heading(page, 'API keys').waitFor();
    await goTo(page, 'Activity');
    await page.getByText('For Trail').first().waitFor();
    expect(await page.locator('.events').innerText()).toMatch(/API key \d+.* was created\s+For Trail/);
    await inspect(page, 'organization-own-activity');

    await call(world, 'operator', `DELETE /admin/accounts/${ole}`, {}, 'openid email profile keyward.admin');
    await choose(page, 'Trail');
    // The trail keeps the number of an account that was erased.
    await expect.poll(() => eventOf(/By Ole.*was created/)).toContain(`By member ${ole}`);
    await goTo(page, 'API keys');
    await page.getByRole('radio', { name: /^All/ }).focus();
    await page.keyboard.press('Space');
    expect(await keyRow(page, 'By Ole').textContent()).toContain('A former member, or the provider');
    await page.setViewportSize({ width: 320, height: 700 });
    await inspect(page, 'organization-narrow');
  });

  it('an operator sees the kind, and opens an organisation like a person', async () => {
    await callFor('amy', { operated: 'admin' }, 'operated', 'POST /auth/keys', { name: 'Operated' });
    await using visit = await visitWith();
    const page = await signInAsOperator(visit, 'opa', '#operate?find=operated');
    const item = page.getByRole('list', { name: /^Begins with/ }).getByRole('listitem');
    await item.filter({ hasText: 'Organization' }).waitFor();
    expect(await item.textContent()).toMatch(/operatedOrganization.*ID \d+/s);
    await item.getByRole('link').click();
    await page.getByText('Operated', { exact: true }).waitFor();
    await inspect(page, 'organization-operated');
  });

  it('GraphiQL and Try it are for the chosen account, and say so', async () => {
    await callFor('gus', { graph: 'admin' }, 'graph', 'POST /auth/keys', { name: 'Graph key' });
    await using visit = await visitWith();
    const { page } = visit;
    await giveRoles(page, 'gus', { graph: 'admin' });
    await page.goto('graphql?organization=graph');
    const popup = visit.context.waitForEvent('page');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    const provider = await popup;
    await provider.getByLabel('Another name').fill('gus');
    await provider.getByRole('button', { name: 'Continue', exact: true }).click();
    await page.getByText('For Graph').waitFor();
    const sent: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (/\/graphql$/.test(request.url())) sent.push(request.headers()['keyward-organization']);
    });
    const response = async () =>
      (await page.locator('.result-window .view-line').allTextContents()).join('').replace(/\s/g, '');
    const run = page.getByRole('button', { name: /Execute query/ });
    await run.click();
    await expect.poll(response).toContain('Graphkey');
    await inspect(page, 'organization-graphiql');
    await choose(page, 'Your own account');
    await expect.poll(response).not.toContain('Graphkey');
    expect(await page.getByText('For Graph').count()).toBe(0);
    await run.click();
    await expect.poll(response).toContain('"edges":[]');
    expect(sent).toEqual(['graph', undefined]);

    await page.goto('api/v1/docs?organization=graph#apiKeys');
    const { open, send, answers, formOf, resultOf } = useReference(() => page);
    await open('apiKeys');
    const field = formOf('apiKeys').getByLabel(/^Keyward-Organization/);
    expect(await field.inputValue()).toBe('graph');
    await send('apiKeys');
    await answers('apiKeys', '200 OK');
    expect(await resultOf('apiKeys', 'Response')).toContain('Graph key');
    expect(await resultOf('apiKeys', 'The request, with curl')).toContain("'Keyward-Organization: graph'");
    await inspect(page, 'organization-try-it', 'console', 'article[id="apiKeys"]');
    await choose(page, 'Your own account');
    await expect.poll(() => formOf('apiKeys').getByText('Graph key').count()).toBe(0);
    expect(await field.inputValue()).toBe('');
    await field.fill('other');
    await choose(page, 'Graph');
    expect(await field.inputValue()).toBe('other');
  });

  it('the accounts cannot be learned → the service decides, and the menu tries again', async () => {
    await using visit = await visitWith();
    const { page } = visit;
    let fails = true;
    await page.route('**/api/v1/auth/accounts', (route) =>
      fails ? route.fulfill({ status: 503, json: {} }) : route.continue(),
    );
    await openAs(visit, 'ned', { again: 'admin' }, 'console?organization=again');
    await heading(page, 'API keys of again').waitFor();
    await createKey(page, 'Created all the same');
    fails = false;
    await toggle(page).click();
    await heading(page, 'API keys of Again').waitFor();
    expect(await choices(page).count()).toBe(2);
  });

  it('speaks German', async () => {
    await using german = await startWorld({ CONSOLE_LOCALES: 'de-DE' });
    await using visit = await german.visit({ locale: 'de-DE', reducedMotion: 'reduce' });
    const { page } = visit;
    await page.route('**/idp/token', async (route) => {
      const response = await answerOf(route);
      const token = await german.service.token('uli', accountAdmin.join(' '), { verein: 'member' });
      await route.fulfill({ response, json: { ...(await response.json()), access_token: token } });
    });
    await page.goto('console?organization=verein');
    const popup = visit.context.waitForEvent('page');
    await page.getByRole('main').getByRole('button', { name: 'Anmelden' }).click();
    const provider = await popup;
    await provider.getByLabel('Another name').fill('uli');
    await provider.getByRole('button', { name: 'Continue', exact: true }).click();
    await heading(page, 'API-Schlüssel von Verein').waitFor();
    await page.getByText('aber Ihre Rolle erlaubt keine Änderungen').waitFor();
    await inspect(page, 'organization-german');
  });
});
