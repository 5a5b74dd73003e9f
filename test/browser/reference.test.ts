import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { developmentIssuer } from '../../src/dev/issuer.ts';
import {
  canRun,
  findViolations,
  startWorld,
  stored,
  takePicture,
  type Visit,
  type World,
} from '../support/browser.ts';
import { root } from '../support/process.ts';
import { layOutAll, useReference } from './reference-person.ts';

interface Operation {
  readonly operationId: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly webhooks: object;
}

const { paths, webhooks } = JSON.parse(readFileSync(join(root, 'schema/openapi.json'), 'utf8')) as Document;
const isForOperators = ({ security = [] }: Operation) =>
  security.length > 0 &&
  security.every((each) => /^keyward\.(admin|audit)$/.test(Object.values(each).flat().join(' ')));

// What operators do, and where leaked keys are reported, is not there unless it is switched on.
const all = Object.entries(paths)
  .filter(([path]) => path !== '/api/v1/keys/leaks')
  .flatMap(([, methods]) => Object.values(methods));
const operations = all
  .filter((operation) => !isForOperators(operation))
  .map(({ operationId }) => operationId);

/** They take an API key. A proxy lets nobody ask at the first of them. */
const byKey = ['readApiKeyItself', 'deactivateApiKeyItself'];
if (!process.env['TEST_BEHIND']) byKey.unshift('authorizeApiKey');

// A key that is deactivated can do no more.
const apart = ['authorizeApiKey', ...byKey, 'deactivateApiKey'];

/** An access token; the example of one is shorter. */
const aToken = /eyJ[\w-]+\.[\w-]{20}/;

describe.skipIf(!canRun)('the API reference', () => {
  let world: World;
  let visit: Visit;
  beforeAll(async () => {
    world = await startWorld();
    visit = await world.visit();
    await visit.page.goto('api/v1/docs');
    await visit.page.getByRole('banner').waitFor();
  });
  afterAll(async () => {
    await visit?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  const { operationOf, formOf, toggle, open, send, execute, answers, resultOf } = useReference(
    () => visit.page,
  );
  const hashOf = () => new URL(visit.page.url()).hash;
  const topOf = async (selector: string) => (await visit.page.locator(selector).boundingBox())?.y ?? -1;

  it('shows every operation and webhook once, with a link to each', async () => {
    const { page } = visit;
    expect(await page.locator('.operation').count()).toBe(operations.length);
    for (const id of operations) {
      expect(await operationOf(id).count(), id).toBe(1);
      expect(await page.locator(`.contents a[href="#${id}"]`).count(), id).toBe(1);
    }
    expect(await page.locator('.webhook').count()).toBe(Object.keys(webhooks).length);
    expect(await page.getByText(/keyward\.(admin|audit)/).count()).toBe(0);
  });

  it('can be read without scripts', async () => {
    await using other = await world.visit({ javaScriptEnabled: false });
    await other.page.goto('api/v1/docs#verifyApiKey');
    expect(await other.page.locator('#verifyApiKey h3').textContent()).toBe('Verify an API key');
    expect(await other.page.locator('#verifyApiKey pre.curl').isVisible()).toBe(true);
    expect(await other.page.locator('#verifyApiKey pre.go').isVisible()).toBe(false);
  });

  it.each(['light', 'dark'] as const)(
    'has no axe violations in any part of it: %s',
    async (colorScheme) => {
      await using other = await world.visit({ colorScheme });
      const { page } = other;
      await page.goto('api/v1/docs');
      await page.getByRole('banner').waitFor();
      await layOutAll(page);
      await page.locator('details').evaluateAll((each) => {
        for (const details of each) (details as HTMLDetailsElement).open = true;
      });
      expect(await findViolations(page)).toEqual([]);
    },
    120_000,
  );

  it('has one first heading, and no level is left out', async () => {
    const levels = await visit.page
      .locator('main :is(h1, h2, h3, h4)')
      .evaluateAll((all) => all.map(({ tagName }) => Number(tagName[1])));
    expect(levels.filter((level) => level === 1)).toEqual([1]);
    expect(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)).toEqual([]);
  });

  it.each([
    ['#auditEvents', 'auditEvents'],
    ['#/API%20keys/createApiKey', 'createApiKey'],
    ['#/Private%20key', 'private-key'],
    ['#onApiKeyExpired', 'onApiKeyExpired'],
    ['#schema-ApiKey', 'schema-ApiKey'],
  ])('a link to %s leads to its part', async (hash, id) => {
    const { page } = visit;
    await page.goto('about:blank');
    await page.goto(`api/v1/docs${hash}`);
    await expect.poll(hashOf).toBe(`#${id}`);
    await expect.poll(() => topOf(`[id="${id}"]`)).toBeGreaterThan(0);
    expect(await topOf(`[id="${id}"]`)).toBeLessThan(120);
  });

  it('a click in the contents leads to an operation, and marks it there', async () => {
    const { page } = visit;
    await page.locator('.contents a[href="#privateKeyStatus"]').click();
    expect(hashOf()).toBe('#privateKeyStatus');
    await expect.poll(() => topOf('#privateKeyStatus')).toBeGreaterThan(0);
    await expect.poll(() => topOf('#privateKeyStatus')).toBeLessThan(120);
    await page.locator('.contents a[href="#privateKeyStatus"][aria-current]').waitFor();
    expect(await page.locator('.contents [aria-current]').count()).toBe(1);
  });

  it('a language is chosen once for all samples, and remembered', async () => {
    const { page } = visit;
    const shown = (id: string) =>
      operationOf(id)
        .locator('.sample pre')
        .evaluateAll((all) => all.filter((each) => each.checkVisibility()).map(({ className }) => className));
    expect(await shown('apiKey')).toEqual(['curl']);
    const before = await topOf('#apiKey .language');
    await operationOf('apiKey').getByLabel('Language of the samples').selectOption('Python');
    expect(Math.abs((await topOf('#apiKey .language')) - before)).toBeLessThan(2);
    expect([await shown('apiKey'), await shown('rotateApiKey')]).toEqual([['python'], ['python']]);
    await page.reload();
    await page.getByRole('banner').waitFor();
    await expect.poll(() => shown('createApiKey')).toEqual(['python']);
    expect(await operationOf('createApiKey').locator('.language').inputValue()).toBe('python');
    await operationOf('createApiKey').locator('.language').selectOption('curl');
  });

  it('copies the sample that is shown', async () => {
    const { page, context } = visit;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await operationOf('apiKey').getByRole('button', { name: 'Copy' }).click();
    await operationOf('apiKey').getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      await operationOf('apiKey').locator('pre.curl').textContent(),
    );
  });

  describe('the search', () => {
    const find = async (text: string) => {
      await visit.page.getByLabel('Search the reference').fill(text);
      return visit.page
        .locator('main article:not([hidden])')
        .evaluateAll((all) => all.filter((each) => each.checkVisibility()).map(({ id }) => id));
    };

    it.each([
      ['by name', 'rotateapikey', ['rotateApiKey']],
      ['by path', '/private-key post', ['registerPrivateKey']],
      ['by summary', 'forward', []],
      ['by description', 'reverse proxy', ['authorizeApiKey']],
      [
        'by scope',
        'accounts.entitle',
        ['ensureAccount', 'entitlement', 'setEntitlement', 'setEntitlementBySubject'],
      ],
    ])('finds operations %s', async (_how, text, ids) => {
      expect((await find(text)).toSorted()).toEqual(ids.toSorted());
      const links = await visit.page
        .locator('.contents a')
        .evaluateAll(
          (all) => all.filter((each) => each.checkVisibility() && /\w/.test(each.textContent ?? '')).length,
        );
      expect(links).toBeGreaterThanOrEqual(ids.length);
      const count =
        ids.length === 0 ? 'Nothing found' : ids.length === 1 ? '1 result' : `${ids.length} results`;
      expect(await visit.page.locator('.contents').getByRole('status').textContent()).toContain(count);
    });

    it('shows everything again after Escape', async () => {
      await find('nothing that exists');
      await visit.page.keyboard.press('Escape');
      expect(await visit.page.getByLabel('Search the reference').inputValue()).toBe('');
      expect(await visit.page.locator('[hidden]').count()).toBe(0);
      expect(await visit.page.locator('.contents').getByRole('status').textContent()).toBe('');
    });

    it('the keyboard is enough: a slash to search, then to the result', async () => {
      const { page } = visit;
      await page.locator('h1').click();
      await page.keyboard.press('/');
      // A slash in a field is a slash.
      await page.keyboard.type('rotateapikey/');
      expect(await page.getByLabel('Search the reference').inputValue()).toBe('rotateapikey/');
      await page.keyboard.press('Backspace');
      for (let step = 0; step < 3 && hashOf() !== '#rotateApiKey'; step += 1) {
        await page.keyboard.press('Tab');
        await page.keyboard.press('Enter');
      }
      expect(hashOf()).toBe('#rotateApiKey');
    });

    it('a link to what is filtered out shows everything again', async () => {
      await find('rotateapikey');
      await operationOf('rotateApiKey').locator('.errors a[href="#error-404"]').click();
      await expect.poll(() => visit.page.locator('[id="error-404"]').isVisible()).toBe(true);
      expect(await visit.page.getByLabel('Search the reference').inputValue()).toBe('');
    });
  });

  it('the skip link leads past the contents', async () => {
    const { page } = visit;
    await page.goto('api/v1/docs');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('content');
  });

  it('leaves optional values empty', async () => {
    await open('apiKeys');
    const fields = formOf('apiKeys').locator(':is(input, select)');
    const values = await fields.evaluateAll((all) => all.map((field) => (field as HTMLInputElement).value));
    expect(values.length).toBeGreaterThanOrEqual(3);
    expect(values.join('')).toBe('');
    await toggle('apiKeys');
    await open('apiKey');
    expect(await formOf('apiKey').getByLabel('key_id').inputValue()).toBe('1');
    await toggle('apiKey');
    expect(await formOf('apiKey').isVisible()).toBe(false);
  });

  it('fills a body with the required members, and leaves secrets empty', async () => {
    const body = async (id: string) => JSON.parse(await formOf(id).getByLabel('Body').inputValue());
    await open('createApiKey');
    expect(await body('createApiKey')).toEqual({});
    await formOf('createApiKey').getByRole('button', { name: 'Fill in the example' }).click();
    expect(await body('createApiKey')).toMatchObject({ name: 'Laptop' });
    await toggle('createApiKey');
    await open('registerPrivateKey');
    expect(await body('registerPrivateKey')).toEqual({ private_key: '' });
    await toggle('registerPrivateKey');
  });

  it('shows a response after three clicks', async () => {
    await open('privateKeyStatus');
    await visit.signInBy(() => send('privateKeyStatus'));
    await answers('privateKeyStatus', /^200/);
    expect(JSON.parse((await resultOf('privateKeyStatus', 'Response')) ?? '')).toHaveProperty('has_key');
    expect(await resultOf('privateKeyStatus', 'The request, with curl')).toBe(
      `curl '${world.service.url}/api/v1/auth/private-key' \\\n  -H 'Authorization: Bearer <ACCESS_TOKEN>'`,
    );
    await operationOf('privateKeyStatus').evaluate((each) => each.scrollIntoView());
    await takePicture(visit.page, 'reference');
    await formOf('privateKeyStatus').getByText('Headers of the response').click();
    expect(await formOf('privateKeyStatus').locator('details pre').textContent()).toMatch(/^x-request-id: /m);
    await toggle('privateKeyStatus');
  });

  it('has a field for each parameter of a form, and leaves secrets out of the command', async () => {
    const form = formOf('introspectToken');
    await open('introspectToken');
    expect(await form.getByLabel(/^token form, required/).inputValue()).toBe('');
    await send('introspectToken');
    await form.getByText('Enter a value for token.').waitFor();
    await form.getByLabel(/^token form, required/).fill('sk-secret.key');
    await form.getByLabel(/^cost/).fill('0');
    await send('introspectToken');
    await answers('introspectToken', /^403/);
    const command = await resultOf('introspectToken', 'The request, with curl');
    expect(command).toContain("-d 'token=API_KEY&cost=0'");
    expect(command).not.toContain('sk-secret');
    await toggle('introspectToken');
  });

  it('keeps the token out of the page and the storage', async () => {
    expect(await visit.page.content()).not.toMatch(aToken);
    expect(await stored(visit.page)).not.toMatch(aToken);
  });

  it('asks before the first request that changes something, and not again', async () => {
    const { page } = visit;
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'PUT' && sent.push(request.url()));
    await open('updateAutomationSettings');
    await send('updateAutomationSettings');
    await formOf('updateAutomationSettings').getByText('This changes data on').waitFor();
    expect(sent).toEqual([]);
    await send('updateAutomationSettings');
    await answers('updateAutomationSettings', /^200/);
    expect(sent).toHaveLength(1);
    await send('updateAutomationSettings');
    await expect.poll(() => sent.length).toBe(2);
    await answers('updateAutomationSettings', /^200/);
    await toggle('updateAutomationSettings');
  });

  it('leaves secrets out of the command that it shows', async () => {
    const secret = '2'.repeat(64);
    await open('registerPrivateKey');
    await formOf('registerPrivateKey')
      .getByLabel('Body')
      .fill(JSON.stringify({ private_key: secret }));
    await send('registerPrivateKey');
    await send('registerPrivateKey');
    await answers('registerPrivateKey', /^201/);
    const command = await resultOf('registerPrivateKey', 'The request, with curl');
    expect(command).toContain('"private_key": "<PRIVATE_KEY>"');
    expect(command).not.toContain(secret);
    await toggle('registerPrivateKey');
  });

  it('shows a response as text, whatever it contains', async () => {
    const { page } = visit;
    const html = '<img src="/never" onerror="alert(1)">';
    await page.route('**/auth/entitlement', (route) =>
      route.fulfill({ contentType: 'text/html', body: html }),
    );
    await open('myEntitlement');
    await send('myEntitlement');
    await answers('myEntitlement', /^200/);
    expect(await resultOf('myEntitlement', 'Response')).toBe(html);
    await page.unroute('**/auth/entitlement');
    await toggle('myEntitlement');
  });

  it('signs in with more scopes', async () => {
    await visit.page.locator('.sign-in-toggle').click();
    for (const name of ['keys.verify', 'keys.import', 'accounts.entitle'])
      await visit.page.getByRole('checkbox', { name }).check();
    await visit.page.getByRole('button', { name: 'Sign in again with these scopes' }).click();
    await visit.page.locator('.sign-in-menu').waitFor({ state: 'hidden' });
    await visit.page.locator('.sign-in-toggle').click();
    await visit.page.locator('.sign-in-menu', { hasText: /keys\.verify,? .*accounts\.entitle\./ }).waitFor();
    await visit.page.locator('.sign-in-toggle').click();
  });

  /** Creates an API key, and gives its secret. */
  const createKey = async () => {
    const token = await world.service.token('alice');
    const created = await fetch(`${world.service.url}/api/v1/auth/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
    });
    return ((await created.json()) as { key: string }).key;
  };

  /** What forms need that has no example. */
  const secrets: Readonly<Record<string, { label: RegExp; text: () => Promise<string> }>> = {
    introspectToken: { label: /^token form/, text: async () => 'sk-any.key' },
    exchangeToken: { label: /^subject_token form/, text: createKey },
  };

  it.each([...operations.filter((id) => !apart.includes(id)), 'deactivateApiKey'])('tries %s', async (id) => {
    await toggle(id);
    await formOf(id).waitFor();
    const body = formOf(id).getByLabel('Body');
    if (id === 'registerPrivateKey') await body.fill(JSON.stringify({ private_key: '1'.repeat(64) }));
    const secret = secrets[id];
    if (secret)
      await formOf(id)
        .getByLabel(secret.label)
        .fill(await secret.text());
    if (['ensureAccount', 'setEntitlementBySubject', 'importApiKey'].includes(id)) {
      const issuer = developmentIssuer({ host: '127.0.0.1', port: world.service.port });
      const key =
        id === 'importApiKey' ? { key: `acme_live_${'k'.repeat(40)}`, key_prefix: 'acme_live_' } : {};
      await body.fill(JSON.stringify({ issuer, subject: 'alice', ...key }));
    }
    await execute(id);
    // Its example is no secret of this key.
    await answers(id, id === 'endApiKeySecret' ? /^404/ : /^20[01]/);
    await vi.waitFor(
      async () => expect(await findViolations(visit.page, `article[id="${id}"]`)).toEqual([]),
      25_000,
    );
    await toggle(id);
  });

  it.each(byKey)('tries %s with an API key and without the token', async (id) => {
    const key = await createKey();
    await open(id);
    await execute(id);
    await answers(id, /^401/);
    expect(await resultOf(id, 'The request, with curl')).not.toMatch(/Bearer|API_KEY/);
    // The session goes on: the request did not carry its token.
    await visit.page.getByRole('banner').getByRole('button', { name: 'alice' }).waitFor();
    await formOf(id).getByLabel('X-API-Key').fill(key);
    await execute(id);
    await answers(id, /^200/);
    expect(await resultOf(id, 'The request, with curl')).toContain("-H 'X-API-Key: <API_KEY>'");
    expect(await visit.page.content()).not.toContain(key);
    await toggle(id);
  });

  it('prints every part, and nothing to click', async () => {
    const { page } = visit;
    await page.emulateMedia({ media: 'print' });
    const hidden = await page
      .locator('main :is(h1, h2, h3, h4, .members > li)')
      .evaluateAll((all) =>
        all
          .filter((each) => !each.checkVisibility({ contentVisibilityAuto: true }))
          .map((each) => each.textContent),
      );
    expect(hidden).toEqual([]);
    for (const name of ['.contents', '.sample-bar', '.top-bar'])
      expect(await page.locator(name).first().isVisible(), name).toBe(false);
    await page.evaluate(() => scrollTo(0, 0));
    await takePicture(page, 'reference-print');
    await page.emulateMedia({ media: null });
  });

  it('sends requests only to the service, and logs no errors', () => {
    expect(visit.foreign()).toEqual([]);
    // The secret that is none: the browser notes each answer above 399.
    expect(visit.complaints).toEqual([expect.stringContaining('404 (Not Found)')]);
  });
});

describe.skipIf(!canRun)('the API reference of a service with operators', () => {
  it('has their operations too', async () => {
    await using world = await startWorld({ ADMIN: 'on' });
    await using visit = await world.visit();
    await visit.page.goto('api/v1/docs#blockAccount');
    await visit.page.getByRole('banner').waitFor();
    expect(await visit.page.locator('.operation').count()).toBe(all.length);
    expect(await visit.page.locator('#blockAccount h3').textContent()).toBe('Block an account');
    expect(await visit.page.locator('#blockAccount .access').textContent()).toBe('Scopes: keyward.admin');
    expect(await visit.page.locator('#auditTrail .access').textContent()).toBe('Scopes: keyward.audit');
    expect(await visit.page.locator('#auditEvents .access').textContent()).toBe(
      'Scopes: openid email profile, or for operators keyward.admin, or accounts.act with Keyward-Account',
    );
    expect(await visit.page.locator('#ensureAccount .access').textContent()).toBe(
      'Scopes: accounts.act, or accounts.entitle',
    );
  });
});
