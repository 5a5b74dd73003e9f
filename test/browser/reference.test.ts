import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { developmentIssuer } from '../../src/dev/issuer.ts';
import {
  canRun,
  findViolations,
  startWorld,
  takePicture,
  type Visit,
  type World,
} from '../support/browser.ts';
import { root } from '../support/process.ts';

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
  security.length > 0 && security.every((each) => Object.values(each).flat().includes('keyward.admin'));

// What operators do, and where leaked keys are reported, is not there unless it is switched on.
const operations = Object.entries(paths)
  .filter(([path]) => path !== '/api/v1/keys/leaks')
  .flatMap(([, methods]) => Object.values(methods))
  .filter((operation) => !isForOperators(operation))
  .map(({ operationId }) => operationId);
const described = operations.length + Object.keys(webhooks).length;

/** They take an API key. */
const byKey = ['authorizeApiKey', 'readApiKeyItself', 'deactivateApiKeyItself'];

// A key that is deactivated can do no more.
const apart = [...byKey, 'deactivateApiKey'];

describe.skipIf(!canRun)('the API reference', () => {
  let world: World;
  let visit: Visit;
  beforeAll(async () => {
    world = await startWorld();
    visit = await world.visit();
    await visit.page.goto('/api/v1/docs');
    await visit.page.locator('.opblock').first().waitFor();
  });
  afterAll(async () => {
    await visit?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  const operationOf = (id: string) => visit.page.locator(`.opblock[id$="-${id}"]`);
  const open = (id: string) => operationOf(id).locator('.opblock-summary-control').click();
  const execute = (id: string) => operationOf(id).getByRole('button', { name: 'Execute' }).click();
  const status = async (id: string) => {
    const shown = operationOf(id).locator('.live-responses-table .response-col_status').last();
    return (await shown.textContent())?.trim();
  };

  it('has every operation', async () => {
    expect(await visit.page.locator('.opblock').count()).toBe(described);
    expect(await findViolations(visit.page)).toEqual([]);
  });

  it('leaves optional values empty', async () => {
    await open('apiKeys');
    const fields = operationOf('apiKeys').locator('.parameters :is(input, select)');
    const values = await fields.evaluateAll((all) => all.map((field) => (field as HTMLInputElement).value));
    expect(values.length).toBeGreaterThanOrEqual(3);
    expect(values.join('')).toBe('');
    await open('apiKeys');
    await open('apiKey');
    expect(await operationOf('apiKey').getByPlaceholder('key_id').inputValue()).toBe('1');
    await open('apiKey');
  });

  it('fills a body with the required members, and leaves secrets empty', async () => {
    const body = (id: string) => operationOf(id).locator('textarea.body-param__text').inputValue();
    await open('createApiKey');
    expect(JSON.parse(await body('createApiKey'))).toEqual({});
    await operationOf('createApiKey').locator('.examples-select select').first().selectOption('all');
    await expect.poll(() => body('createApiKey')).toContain('Laptop');
    await visit.page.setViewportSize({ width: 375, height: 800 });
    await takePicture(visit.page, 'reference-body-narrow');
    expect(await visit.page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
    await visit.page.setViewportSize({ width: 1280, height: 800 });
    await open('createApiKey');
    await open('registerPrivateKey');
    expect(JSON.parse(await body('registerPrivateKey'))).toEqual({ private_key: '' });
    await open('registerPrivateKey');
  });

  it('opens the operation in the URL, and puts the opened one into the URL', async () => {
    const { page } = visit;
    await open('auditEvents');
    expect(new URL(page.url()).hash).toBe('#auditEvents');
    await page.reload();
    await operationOf('auditEvents').locator('.opblock-body').waitFor();
    await expect.poll(async () => (await operationOf('auditEvents').boundingBox())?.y).toBeLessThan(200);
    await page.evaluate(() => location.assign('#privateKeyStatus'));
    await operationOf('privateKeyStatus').locator('.opblock-body').waitFor();
    await open('privateKeyStatus');
    await open('auditEvents');
    expect(new URL(page.url()).hash).toBe('');
  });

  it('has the groups of the API description', async () => {
    await using other = await world.visit();
    const { page } = other;
    await page.route('**/openapi.json', async (route) => {
      const response = await route.fetch();
      const document = (await response.json()) as Document & { tags: object[] };
      document.tags = [{ name: 'API keys' }, { name: 'The rest' }];
      for (const [path, methods] of Object.entries(document.paths))
        for (const operation of Object.values(methods))
          Object.assign(operation, { tags: [path.includes('/keys') ? 'API keys' : 'The rest'] });
      await route.fulfill({ response, json: document });
    });
    await page.goto('/api/v1/docs#privateKeyStatus');
    await page.locator('.opblock.is-open .opblock-body').waitFor();
    const groups = page.locator('.opblock-tag');
    expect((await groups.allTextContents()).map((text) => text.trim())).toEqual(['API keys', 'The rest']);
    expect(await groups.first().isVisible()).toBe(true);
    expect(await page.locator('.opblock').count()).toBe(described);
    // The bar at the top hides nothing by half.
    await page.evaluate(() => scrollTo(0, 0));
    await vi.waitFor(async () => expect(await findViolations(page)).toEqual([]), 5000);
    await takePicture(page, 'reference-groups');
  });

  it('shows a response after three clicks', async () => {
    await open('privateKeyStatus');
    await visit.signInBy(() => execute('privateKeyStatus'));
    expect(await status('privateKeyStatus')).toBe('200');
    const curl = operationOf('privateKeyStatus').locator('.curl').first();
    expect(await curl.textContent()).toContain("-H 'Authorization: Bearer <ACCESS_TOKEN>'");
    // Nor does the page show the token. Swagger UI gives its elements ids by chance, one of which may begin like one.
    expect(await visit.page.content()).not.toMatch(/eyJ[\w-]+\./);
    await visit.page.evaluate(() => scrollTo(0, 660));
    await takePicture(visit.page, 'reference');
    await open('privateKeyStatus');
  });

  it('signs in with more scopes', async () => {
    await visit.page.locator('.sign-in-toggle').click();
    for (const name of ['keys.verify', 'accounts.entitle'])
      await visit.page.getByRole('checkbox', { name }).check();
    await visit.page.getByRole('button', { name: 'Sign in again with these scopes' }).click();
    await visit.page.locator('.sign-in-menu').waitFor({ state: 'hidden' });
    await visit.page.locator('.sign-in-toggle').click();
    await visit.page.locator('.sign-in-menu', { hasText: /keys\.verify,? .*accounts\.entitle\./ }).waitFor();
    await visit.page.locator('.sign-in-toggle').click();
  });

  it.each([...operations.filter((id) => !apart.includes(id)), 'deactivateApiKey'])('tries %s', async (id) => {
    await open(id);
    if (id === 'registerPrivateKey')
      await operationOf(id)
        .locator('textarea.body-param__text')
        .fill(JSON.stringify({ private_key: '1'.repeat(64) }));
    if (id === 'setEntitlementBySubject')
      await operationOf(id)
        .locator('textarea.body-param__text')
        .fill(
          JSON.stringify({
            issuer: developmentIssuer({ host: '127.0.0.1', port: Number(new URL(world.service.url).port) }),
            subject: 'alice',
          }),
        );
    await execute(id);
    // Its example is no secret of this key.
    await expect.poll(() => status(id)).toMatch(id === 'endApiKeySecret' ? /^404$/ : /^20[01]$/);
    // Until it has drawn the answer in full.
    await vi.waitFor(
      async () => expect(await findViolations(visit.page, `.opblock[id$="-${id}"]`)).toEqual([]),
      5000,
    );
    await open(id);
  });

  it.each(byKey)('tries %s with an API key and without the token', async (id) => {
    const token = await world.service.token('alice');
    const created = await fetch(`${world.service.url}/api/v1/auth/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
    });
    const { key } = (await created.json()) as { key: string };
    await open(id);
    await execute(id);
    expect(await status(id)).toBe('401');
    expect(await operationOf(id).locator('.curl').first().textContent()).not.toContain('Bearer');
    await operationOf(id).getByPlaceholder('X-API-Key').fill(key);
    await execute(id);
    await expect.poll(() => status(id), { timeout: 10_000 }).toBe('200');
    await open(id);
  });

  it('fits a phone while an operation is open', async () => {
    const { page } = visit;
    await page.setViewportSize({ width: 375, height: 740 });
    // With parameters, and with a body.
    for (const id of ['apiKeys', 'verifyApiKey']) {
      await open(id);
      await operationOf(id).locator('.opblock-body').waitFor();
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([id, overflow]).toEqual([id, 0]);
      const cut = await operationOf(id)
        .locator(':is(input, select, textarea, button, td, pre)')
        .evaluateAll((all) => all.filter((part) => part.getBoundingClientRect().right > innerWidth).length);
      expect([id, cut]).toEqual([id, 0]);
      if (id === 'apiKeys') {
        await page.evaluate(() => scrollTo(0, 0));
        await vi.waitFor(async () => expect(await findViolations(page)).toEqual([]), 10_000);
        await operationOf(id).scrollIntoViewIfNeeded();
        await takePicture(page, 'reference-phone');
      }
      await open(id);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('has no axe violations in dark mode', async () => {
    await visit.page.emulateMedia({ colorScheme: 'dark' });
    await open('updateAutomationSettings');
    await operationOf('updateAutomationSettings').locator('.live-responses-table').waitFor();
    await vi.waitFor(async () => expect(await findViolations(visit.page)).toEqual([]), 10_000);
    await takePicture(visit.page, 'reference-dark');
  });

  it('sends requests only to the service, and logs no errors', () => {
    expect(visit.foreign()).toEqual([]);
    // The secret that is none: the browser notes each answer above 399.
    expect(visit.complaints).toEqual([expect.stringContaining('404 (Not Found)')]);
  });
});
