import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  canRun,
  findViolations,
  startWorld,
  takePicture,
  type Visit,
  type World,
} from '../support/browser.ts';
import { root } from '../support/process.ts';

interface Document {
  readonly paths: Record<string, Record<string, { readonly operationId: string }>>;
}

const { paths } = JSON.parse(readFileSync(join(root, 'schema/openapi.json'), 'utf8')) as Document;
const operations = Object.values(paths)
  .flatMap((methods) => Object.values(methods))
  .map(({ operationId }) => operationId);

// It takes an API key; a key that is deactivated can do no more.
const apart = ['authorizeApiKey', 'deactivateApiKey'];

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

  const operationOf = (id: string) => visit.page.locator(`[id^="operations-"][id$="-${id}"]`);
  const open = (id: string) => operationOf(id).locator('.opblock-summary-control').click();
  const execute = (id: string) => operationOf(id).getByRole('button', { name: 'Execute' }).click();
  const status = async (id: string) => {
    const shown = operationOf(id).locator('.live-responses-table .response-col_status').last();
    return (await shown.textContent())?.trim();
  };

  it('has every operation', async () => {
    expect(await visit.page.locator('.opblock').count()).toBe(operations.length);
    expect(await findViolations(visit.page)).toEqual([]);
  });

  it('answers after a click on an operation and two more', async () => {
    await open('privateKeyStatus');
    await visit.signInBy(() => execute('privateKeyStatus'));
    expect(await status('privateKeyStatus')).toBe('200');
    // Nor does the page show the token.
    expect(await visit.page.content()).not.toContain('eyJ');
    await visit.page.evaluate(() => scrollTo(0, 660));
    await takePicture(visit.page, 'reference');
    await open('privateKeyStatus');
  });

  it('signs in with more scopes', async () => {
    await visit.page.locator('.sign-in-toggle').click();
    await visit.page.getByRole('checkbox', { name: 'keys.verify' }).check();
    await visit.page.getByRole('button', { name: 'Sign in again with these' }).click();
    await visit.page.locator('.sign-in-menu', { hasText: 'keys.verify.' }).waitFor();
    await visit.page.locator('.sign-in-toggle').click();
  });

  it.each([...operations.filter((id) => !apart.includes(id)), 'deactivateApiKey'])('tries %s', async (id) => {
    await open(id);
    await execute(id);
    expect(await status(id)).toMatch(/^20[01]$/);
    // Until it has drawn the answer in full.
    await vi.waitFor(
      async () => expect(await findViolations(visit.page, `[id^="operations-"][id$="-${id}"]`)).toEqual([]),
      5000,
    );
    await open(id);
  });

  it('tries authorizeApiKey, with an API key and without the token', async () => {
    const token = await world.service.token('alice');
    const created = await fetch(`${world.service.url}/api/v1/auth/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
    });
    const { key } = (await created.json()) as { key: string };
    await open('authorizeApiKey');
    await execute('authorizeApiKey');
    expect(await status('authorizeApiKey')).toBe('401');
    await operationOf('authorizeApiKey').getByPlaceholder('X-API-Key').fill(key);
    await execute('authorizeApiKey');
    await expect.poll(() => status('authorizeApiKey')).toBe('200');
  });

  it('is without a violation in dark', async () => {
    await visit.page.emulateMedia({ colorScheme: 'dark' });
    await open('updateAutomationSettings');
    await operationOf('updateAutomationSettings').locator('.live-responses-table').waitFor();
    await vi.waitFor(async () => expect(await findViolations(visit.page)).toEqual([]), 10_000);
    await takePicture(visit.page, 'reference-dark');
  });

  it('asks nobody but the service for anything, and has nothing to complain of', () => {
    expect(visit.foreign()).toEqual([]);
    expect(visit.complaints).toEqual([]);
  });
});
