import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canRun, startWorld, type Visit, type World } from '../support/browser.ts';
import { english } from '../support/languages.ts';
import { runsNginx } from '../support/nginx.ts';
import { root, runCommand } from '../support/process.ts';
import { dialog, openConsole } from './console-person.ts';
import { useReference } from './reference-person.ts';

describe.skipIf(!canRun || !runsNginx)('below a path of another host', () => {
  let world: World;
  let visit: Visit;
  beforeAll(async () => {
    world = await startWorld({}, 'handed on');
    visit = await world.visit({ reducedMotion: 'reduce' });
  });
  afterAll(async () => {
    await visit?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  it('a person signs in at the console, and gets a command that works', async () => {
    const page = await openConsole(visit, 'ida');
    expect(page.url()).toMatch(new RegExp(`^${world.service.url}/console`));
    await page.getByRole('button', { name: 'Create API key', exact: true }).click();
    await dialog(page).getByLabel('Name').fill('Path');
    await dialog(page).getByRole('button', { name: 'Create', exact: true }).click();
    const command = await dialog(page).getByLabel(english.text('keys.command')).inputValue();
    expect(command).toContain(`${world.service.url}/api/v1/keys/self`);
    const { code, stdout } = await runCommand(['sh', '-c', command], { cwd: root, env: {} });
    expect(code).toBe(0);
    expect(stdout).toContain('200 OK');
    await dialog(page)
      .getByRole('button', { name: english.text('keys.once-done') })
      .click();
  });

  it('what the browser keeps is of this service alone', async () => {
    const names = await visit.page.evaluate(() => Object.keys({ ...sessionStorage, ...localStorage }));
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !name.endsWith('/a/b'))).toEqual([]);
    expect(await visit.context.cookies(world.service.url)).toEqual(await visit.context.cookies(world.inside));
  });

  it('a person stays signed in on the way to the reference, which sends requests', async () => {
    const { page } = visit;
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.getByRole('button', { name: 'ida' }).waitFor();
    expect(page.url()).toBe(`${world.service.url}/api/v1/docs`);
    const { open, send, answers, resultOf } = useReference(() => page);
    await open('apiKeys');
    await send('apiKeys');
    await answers('apiKeys', /^200/);
    expect(await resultOf('apiKeys', 'The request, with curl')).toContain(
      `'${world.service.url}/api/v1/auth/keys'`,
    );
    expect(await page.locator('.introduction').textContent()).toContain(
      `All paths begin at ${world.service.url}.`,
    );
  });

  it('and to GraphiQL, with its workers and fonts', async () => {
    const { page } = visit;
    await page.getByRole('link', { name: 'GraphiQL' }).click();
    await page.getByRole('button', { name: 'ida' }).waitFor();
    await page.locator('.graphiql-query-editor .view-line').last().waitFor();
    await page.locator('.graphiql-execute-button').click();
    const answer = async () => (await page.locator('.result-window .view-line').allTextContents()).join('');
    await expect.poll(answer).toContain('"apiKeys"');
  });

  it('and nothing was asked for elsewhere, and nothing complained', () => {
    expect(visit.foreign()).toEqual([]);
    expect(visit.complaints).toEqual([]);
  });
});
