import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentServerSecret } from '../../src/secrets/server-secret.ts';
import { answerOf, bodyOf, canRun, startWorld, type World } from '../support/browser.ts';
import { matchOf, type Scanner, startScanner } from '../support/scanner.ts';
import { failures, startReceiver, take } from '../support/webhook-receiver.ts';
import {
  between,
  call,
  dialog,
  focused,
  goTo,
  inspect,
  isValid,
  looks,
  openConsole,
  said,
  signInAsOperator,
} from './console-person.ts';

describe.skipIf(!canRun)('the console of an operator', () => {
  let scanner: Scanner;
  let world: World;
  beforeAll(async () => {
    scanner = await startScanner();
    world = await startWorld({
      ADMIN: 'on',
      LEAKED_KEYS: 'end',
      LEAK_REPORT_KEYS_URL: scanner.url,
      WEBHOOKS_ALLOW: '127.0.0.1',
    });
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    await scanner?.[Symbol.asyncDispose]();
  });

  it('is in the menu of the signed-in person, and only until they are an operator', async () => {
    await using visit = await world.visit();
    const page = await openConsole(visit, 'olga', '#keys');
    const become = page.getByRole('button', { name: 'Sign in as an operator' });
    expect(await become.count()).toBe(0);
    await page.getByRole('button', { name: 'olga' }).click();
    await inspect(page, 'operate-menu');
    await become.click();
    await page.getByPlaceholder('Part of the subject').waitFor();
    await page.getByRole('button', { name: 'olga' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(await become.count()).toBe(0);
  });

  /** Somebody with two keys, and the secret of one; answers their account's number. */
  const person = async (subject: string) => {
    const first = await call(world, subject, 'POST /auth/keys', { name: 'Laptop' });
    await call(world, subject, 'POST /auth/keys', { name: 'Build server' });
    const settings = await call(world, subject, 'PUT /automation/settings', { is_enabled: true });
    return { id: settings.user_id as number, key: first.key as string };
  };

  it('finds an account, and blocks and unblocks it with a reason that the person sees', async () => {
    const { key } = await person('mallory');
    await using visit = await world.visit();
    const page = await signInAsOperator(visit, 'alice');
    const listed = () =>
      page
        .getByRole('list', { name: /^Contains/ })
        .getByRole('listitem')
        .count();
    await page.getByRole('searchbox', { name: 'Search accounts' }).fill('ALLO');
    await page.getByRole('button', { name: 'Search' }).click();
    await expect.poll(listed).toBe(1);
    await page.getByRole('link', { name: 'mallory' }).click();
    await page.getByRole('heading', { name: 'mallory' }).waitFor();
    await page.goBack();
    expect(await page.getByRole('searchbox', { name: 'Search accounts' }).inputValue()).toBe('ALLO');
    await expect.poll(listed).toBe(1);
    await goTo(page, 'Operate');
    await expect.poll(() => page.getByRole('searchbox', { name: 'Search accounts' }).inputValue()).toBe('');
    await page.getByRole('link', { name: 'mallory' }).click();
    await page.getByRole('button', { name: 'Block', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'Block' }).click();
    await dialog(page).getByRole('alert').waitFor();
    expect(await focused(page)).toBe('Reason');
    await dialog(page).getByLabel('Reason').fill('Its keys attack others');
    await dialog(page).getByRole('button', { name: 'Block' }).click();
    await said(page, 'mallory was blocked.');
    await page.getByText('Blocked because:').waitFor();
    expect(await isValid(world, key)).toBe(false);

    await page.getByRole('button', { name: 'Unblock' }).click();
    await dialog(page).getByLabel('Reason').fill('They have changed them');
    await dialog(page).getByRole('button', { name: 'Unblock' }).click();
    await said(page, 'mallory was unblocked.');
    expect(await isValid(world, key)).toBe(true);

    await using theirs = await world.visit();
    await openConsole(theirs, 'mallory', '#activity');
    await theirs.page.getByText('Your account was unblocked').waitFor();
    await theirs.page.getByText('Its keys attack others').waitFor();
    expect(await theirs.page.getByText('By an operator').count()).toBe(2);

    await goTo(page, 'Activity');
    await page.getByText('You blocked account').waitFor();
    // The reason that was missing.
    expect(visit.complaints).toEqual([expect.stringContaining('422')]);
  });

  it.each(looks)(
    'says whose subject begins with a text, and whose only contains it, %s',
    async (look, options) => {
      for (const subject of ['mallory', 'Allan', 'allison'])
        await call(world, subject, 'PUT /automation/settings', { is_enabled: true });
      await using visit = await world.visit(options);
      const page = await signInAsOperator(visit, 'alice', '#operate?find=all');
      const found = (name: RegExp) =>
        page.getByRole('region', { name }).getByRole('heading', { level: 3 }).allTextContents();
      await page.getByRole('heading', { name: 'mallory' }).waitFor();
      expect(await found(/^Begins with .?all.?$/)).toEqual(['allison', 'Allan']);
      expect(await found(/^Contains .?all.?$/)).toEqual(['mallory']);
      await inspect(page, `operate-found-${look}`);
      await page.goto('console#operate?find=allan');
      await expect.poll(() => found(/./)).toEqual(['Allan']);
      await goTo(page, 'Operate');
      await page.getByRole('list', { name: 'Accounts' }).waitFor();
      expect(await found(/./)).toEqual([]);
    },
  );

  it('says whose a key is, deactivates it, and says if there is no such key', async () => {
    const { key } = await person('nadia');
    await using visit = await world.visit();
    const page = await signInAsOperator(visit, 'alice');
    const find = async (text: string) => {
      await page.getByLabel('Find the owner of an API key').fill(text);
      await page.getByRole('button', { name: 'Find' }).click();
    };
    const asked: string[] = [];
    page.on('request', (request) => asked.push(bodyOf(request) ?? ''));
    await page.getByRole('searchbox', { name: 'Search accounts' }).fill(` ${key}`);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('This looks like an API key.').waitFor();
    expect(page.url()).not.toContain('sk-');
    await page.getByRole('searchbox', { name: 'Search accounts' }).fill('nadi');
    await page.getByRole('button', { name: 'Search' }).click();
    await expect.poll(() => page.url()).toContain('find=nadi');
    await expect.poll(() => asked.join()).toContain('"filter":"nadi"');
    expect(asked.join()).not.toContain('sk-');
    await find('sk-zzzzzz');
    await page.getByText('No API key found.').waitFor();
    await find(key);
    const link = page.locator('.found').getByRole('link', { name: 'nadia' });
    await link.waitFor();
    await find(key.slice(0, 12));
    await page.getByText('One key starts like this. The rest was not compared.').waitFor();
    await find(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`);
    await page.getByText('One key starts like this. The rest does not match.').waitFor();
    await find(key.slice(0, 9));
    await page.getByText('One key starts like this.', { exact: false }).waitFor({ state: 'detached' });
    await page.locator('.found').getByRole('link', { name: 'Laptop' }).click();
    await page.getByRole('heading', { name: 'Laptop' }).waitFor();
    await page.getByText('Not used in the last 24 hours').waitFor();
    await page.getByRole('button', { name: 'Deactivate' }).click();
    await dialog(page).getByLabel('Reason').fill('Found in a repository');
    await dialog(page).getByRole('button', { name: 'Deactivate' }).click();
    await said(page, 'Laptop was deactivated.');
    expect(await isValid(world, key)).toBe(false);
    await page.getByText('Inactive').waitFor();
    expect(page.url()).not.toContain('sk-');
    await page.getByRole('link', { name: /^Account \d+$/ }).click();
    await page.getByRole('heading', { name: 'nadia' }).waitFor();
  });

  it('shows usage and activity, and the person sees that it was read', async () => {
    const { id } = await person('olena');
    await using visit = await world.visit();
    const page = await signInAsOperator(visit, 'alice', `#operate/${id}`);
    const usage = page.getByRole('heading', { name: 'Usage' });
    await usage.waitFor();
    await page.getByText('Not used in the last 24 hours').waitFor();
    await page.getByRole('list', { name: 'API keys' }).getByRole('link', { name: 'Laptop' }).click();
    await page.getByRole('heading', { name: 'Permissions and limits' }).waitFor();
    await page.goBack();
    await page.getByText("Viewing it is recorded in this account's activity and in yours.").waitFor();
    await page.getByRole('button', { name: 'Show activity' }).click();
    await page.getByText('The automation settings were changed').waitFor();
    await inspect(page, 'operate-activity');
    await using theirs = await world.visit();
    await openConsole(theirs, 'olena', '#activity');
    await theirs.page.getByText('Your activity was read').waitFor();
    expect(await theirs.page.getByText('Your activity was read').count()).toBe(1);
  });

  it('shows the person where their key was found, as text, and what was done', async () => {
    const url = `https://github.com/octocat/Hello-World/blob/main/${'a'.repeat(500)}.txt?<b>`;
    const { key } = await person('quentin');
    const { id } = await call(world, 'quentin', 'POST /auth/keys', { name: 'Desk' });
    const rotate = { grace_seconds: 3600 };
    const { key: old } = await call(world, 'quentin', `POST /auth/keys/${id}/rotate`, rotate);
    await call(world, 'quentin', `POST /auth/keys/${id}/rotate`, rotate);
    const report = scanner.report([matchOf(key, url), matchOf(old, 'javascript:alert(1)')]);
    const answer = await fetch(`${world.service.url}/api/v1/keys/leaks`, { method: 'POST', ...report });
    expect(answer.status).toBe(200);
    await using visit = await world.visit({ viewport: { width: 375, height: 740 } });
    const page = await openConsole(visit, 'quentin', '#activity');
    const events = page.locator('.events > li');
    await expect.poll(() => events.count()).toBeGreaterThan(3);
    const [desk = '', ended = '', laptop = ''] = await events.allInnerTexts();
    expect(desk).toContain('had a previous secret that was found in public and no longer works');
    expect(desk).not.toContain('javascript');
    expect(ended).toContain('was deactivated');
    expect(laptop).toContain('was found in public and deactivated');
    expect(laptop).toContain(`Found at: ${url}`);
    expect(laptop).toContain('By a scanner');
    // The address where it was found is text; only keys are links.
    const targets = await events
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    for (const target of targets) expect(target).toMatch(/^#keys\/\d+$/);
    await inspect(page, 'console-leaked');
  });

  it('names the server that changed a plan; the person sees that the provider did', async () => {
    const { id } = await person('rupert');
    const path = `/api/v1/admin/accounts/${id}/entitlement`;
    const changed = await fetch(world.service.url + path, {
      method: 'PUT',
      headers: { authorization: `Bearer ${developmentServerSecret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ overrides: { max_active_keys: 3 } }),
    });
    expect(changed.status).toBe(200);
    await using visit = await world.visit();
    const page = await openConsole(visit, 'rupert', '#activity');
    await page.getByText('Your plan was changed').waitFor();
    expect(await page.getByText('By the provider').count()).toBe(1);
    await using operators = await world.visit();
    const operating = await signInAsOperator(operators, 'alice', `#operate/${id}`);
    await operating.getByRole('button', { name: 'Show activity' }).click();
    await operating.getByText('By the server server').waitFor();
    await inspect(operating, 'operate-server');
  });

  it('erases an account only after its subject was typed', async () => {
    const { id, key } = await person('oscar');
    await using visit = await world.visit();
    const page = await signInAsOperator(visit, 'alice', `#operate/${id}`);
    await page.getByRole('button', { name: 'Erase' }).click();
    const erase = dialog(page).getByRole('button', { name: 'Erase this account' });
    await erase.click();
    await dialog(page).getByText('exactly as shown').waitFor();
    await dialog(page).getByLabel('Type oscar to confirm').fill('Oscar');
    await erase.click();
    await dialog(page).getByText('exactly as shown').waitFor();
    expect(await isValid(world, key)).toBe(true);
    await dialog(page).getByLabel('Type oscar to confirm').fill('oscar');
    await erase.click();
    await said(page, `Account ${id} was erased.`);
    await page.getByText('Erased', { exact: true }).first().waitFor();
    expect(await page.getByText('oscar').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Block' }).count()).toBe(0);
    expect(await isValid(world, key)).toBe(false);
  });

  it('says that there is no such account', async () => {
    await using visit = await world.visit();
    const page = await signInAsOperator(visit, 'alice', '#operate/2147483647');
    await page.getByText('Account not found.').waitFor();
    await page.goto('console#operate/1/keys/2147483647');
    await page.getByText('API key not found.').waitFor();
  });

  it.each(looks)('looks good and is accessible: %s', async (look, options) => {
    const { id } = await person(`quentin-${'very-'.repeat(12)}long-${look}`);
    await using visit = await world.visit(options);
    const page = await signInAsOperator(visit, 'alice');
    await page.getByRole('list', { name: 'Accounts' }).waitFor();
    await page.getByLabel('Find the owner of an API key').fill('sk-zzzzzz');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('No API key found.').waitFor();
    await inspect(page, `operate-${look}`);
    await page.goto(`console#operate/${id}`);
    await page.getByRole('list', { name: 'API keys' }).waitFor();
    await inspect(page, `operate-account-${look}`);
    await page.getByRole('link', { name: 'Laptop' }).click();
    await page.getByRole('heading', { name: 'Permissions and limits' }).waitFor();
    await inspect(page, `operate-key-${look}`);
    await page.goBack();
    await page.getByRole('button', { name: 'Erase' }).click();
    await inspect(page, `operate-erase-${look}`);
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Block' }).click();
    await dialog(page).getByRole('button', { name: 'Block' }).click();
    await dialog(page).getByRole('alert').waitFor();
    await inspect(page, `operate-block-${look}`);
    await dialog(page).getByLabel('Reason').fill('Its keys were used to attack others.');
    await dialog(page).getByRole('button', { name: 'Block' }).click();
    await page.getByText('Blocked because:').waitFor();
    await inspect(page, `operate-blocked-${look}`);
  });

  it.each(looks)('webhook endpoints are added, changed, rotated and removed: %s', async (look, options) => {
    await using receiver = await startReceiver();
    await using visit = await world.visit(options);
    const page = await signInAsOperator(visit, 'alice', '#operate/webhooks');
    const open = dialog(page);
    await page.getByRole('button', { name: 'Add an endpoint' }).click();
    await inspect(page, `operate-add-${look}`);
    await open.getByLabel('Events').fill('api_key.lost');
    await open.getByLabel('Headers').fill('no header');
    await open.getByRole('button', { name: 'Add' }).click();
    await open.getByText('Line 1 must have a name, a colon and a value.').waitFor();
    await open.getByLabel('Headers').fill('Authorization: Bearer t: 1\n\nX-Team: search');
    await open.getByRole('button', { name: 'Add' }).click();
    await open.getByText('Must be an https:// URL').waitFor();
    await inspect(page, `operate-add-refused-${look}`);
    await open.getByLabel('URL').fill(` ${receiver.url}?${look} `);
    await open.getByRole('button', { name: 'Add' }).click();
    await open.getByText('Must be an event type or a pattern').waitFor();
    await open.getByLabel('Events').fill('api_key.*\nprivate_key.*');
    await open.getByRole('button', { name: 'Add' }).click();
    const secret = await open.getByLabel('Signing secret').inputValue();
    expect(secret).toMatch(/^whsec_/);
    await inspect(page, `operate-signing-secret-${look}`);
    await page.keyboard.press('Escape');
    await open.getByRole('button', { name: 'I have stored it' }).click();
    receiver.secret = secret;
    await person(`ursula-${look}`);
    await expect.poll(() => receiver.types()).toContain('api_key.created');
    expect(receiver.taken()[0]?.headers).toMatchObject({ authorization: 'Bearer t: 1', 'x-team': 'search' });

    await page.getByRole('link', { name: `${receiver.url}?${look}` }).click();
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
    await page
      .getByRole('button', { name: /^Message of delivery/ })
      .first()
      .click();
    await page.getByText(`"subject": "ursula-${look}"`).waitFor();
    // The bar then hides no button by half.
    await page.getByRole('heading', { name: 'Deliveries' }).evaluate((heading) => heading.scrollIntoView());
    await inspect(page, `operate-message-${look}`);
    await page.getByRole('radio', { name: 'Delivered' }).check();
    await page.getByText('"subject"').waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'api_key.created' }).first().waitFor();
    await page.getByRole('radio', { name: 'Given up' }).check();
    await page.getByText('No such deliveries.').waitFor();
    expect(page.url()).toContain('state=parked');

    await page.getByRole('button', { name: 'Change…' }).click();
    expect(await open.getByLabel('Events').inputValue()).toBe('api_key.*\nprivate_key.*');
    await open.getByLabel('Events').fill('private_key.*');
    await open.getByRole('button', { name: 'Save' }).click();
    await said(page, 'was changed.');
    await page.getByText('Authorization, X-Team').waitFor();
    await page.getByRole('button', { name: 'Change…' }).click();
    await open.getByLabel('Headers of messages').selectOption('replace');
    await inspect(page, `operate-change-${look}`);
    // Another operator changes what this one does not touch.
    const id = /webhooks\/(\d+)/.exec(page.url())?.[1];
    await call(world, 'olivia', `PATCH /admin/webhooks/${id}`, { events: ['quota.*'] }, 'keyward.admin');
    await open.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Authorization, X-Team', { exact: true }).waitFor({ state: 'detached' });
    await page.getByText('quota.*').waitFor();

    await page.getByRole('button', { name: 'Rotate secret…' }).click();
    await open.getByRole('button', { name: 'Rotate' }).click();
    expect(await open.getByLabel('Signing secret').inputValue()).not.toBe(secret);
    await open.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText('Previous secret signs until').waitFor();

    await page.getByRole('button', { name: 'Remove…' }).click();
    await inspect(page, `operate-remove-${look}`);
    await open.getByRole('button', { name: 'Remove' }).click();
    await said(page, 'was removed.');
    await page.getByText('Removed', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Change…' }).count()).toBe(0);
  });

  it('an endpoint is added once if the response was lost, also after other values were tried', async () => {
    await using visit = await world.visit();
    const page = await signInAsOperator(visit, 'alice', '#operate/webhooks');
    const open = dialog(page);
    const add = async (events: string) => {
      await open.getByLabel('Events').fill(events);
      await open.getByRole('button', { name: 'Add' }).click();
    };
    await page.getByRole('button', { name: 'Add an endpoint' }).click();
    await open.getByLabel('URL').fill('https://127.0.0.1/lost');
    {
      await using _ = await between(page, async (route) => {
        await answerOf(route);
        await route.abort();
      });
      await add('*');
      await open.getByText('Keyward cannot be reached.').waitFor();
    }
    await add('quota.*');
    await open
      .getByText('An earlier attempt succeeded with other values. Close this dialog and check what it did.')
      .waitFor();
    await add('*');
    expect(await open.getByLabel('Signing secret').inputValue()).toMatch(/^whsec_/);
    await open.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('link', { name: 'https://127.0.0.1/lost' }).click();
    await page.getByRole('button', { name: 'Remove…' }).click();
    await open.getByRole('button', { name: 'Remove' }).click();
    await said(page, 'was removed.');
    expect(await focused(page)).toBe('https://127.0.0.1/lost');
  });

  it.each(looks)(
    'webhook endpoints are shown, paused, sent to again, and shown as gone: %s',
    async (look, options) => {
      await using receiver = await startReceiver(failures['an error']);
      const address = `${receiver.url}?${'long-'.repeat(30)}${look}`;
      const token = await world.service.token('olivia', 'keyward.admin');
      const response = await fetch(`${world.service.url}/api/v1/admin/webhooks`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url: address }),
      });
      const { id, secret } = (await response.json()) as { id: number; secret: string };
      receiver.secret = secret;
      await person(`trent-${look}`);
      await expect.poll(() => receiver.all.length).toBeGreaterThan(0);

      await using visit = await world.visit(options);
      const page = await signInAsOperator(visit, 'alice');
      await page.getByRole('link', { name: 'webhook endpoints' }).click();
      await page.getByRole('list', { name: 'Webhook endpoints' }).waitFor();
      await page.getByText('Failing since').first().waitFor();
      await inspect(page, `operate-webhooks-${look}`);
      await page.getByRole('button', { name: `Pause endpoint ${id}` }).click();
      await said(page, `Endpoint ${id} was paused`);
      await page.getByRole('button', { name: `Resume endpoint ${id}` }).waitFor();
      await page.getByRole('link', { name: address }).click();
      await page.getByRole('list', { name: 'Deliveries' }).waitFor();
      await inspect(page, `operate-deliveries-${look}`);
      await page
        .getByRole('button', { name: /^Resend/ })
        .last()
        .click();
      await said(page, 'was queued. The endpoint is paused.');
      receiver.manner = take;
      await page.getByRole('button', { name: `Resume endpoint ${id}` }).click();
      await said(page, `Endpoint ${id} was resumed`);
      await page
        .getByRole('button', { name: /^Resend/ })
        .last()
        .click();
      await said(page, 'will be sent again');
      await expect.poll(() => receiver.taken().length).toBeGreaterThan(0);
      expect(await page.content()).not.toContain('whsec_');
      await goTo(page, 'Activity');
      await page.getByText(`You resent a delivery to webhook endpoint ${id}`).first().waitFor();
      await page.getByText(`You changed webhook endpoint ${id}`).first().waitFor();
      await inspect(page, `operate-activity-${look}`);
      receiver.manner = (response) => void response.writeHead(410).end();
      await person(`victor-${look}`);
      const read = async () => {
        const headers = { authorization: `Bearer ${token}` };
        return (await fetch(`${world.service.url}/api/v1/admin/webhooks/${id}`, { headers })).json();
      };
      await expect.poll(read).toMatchObject({ gone_at: expect.stringMatching(/Z$/) });
      await goTo(page, 'Operate');
      await page.getByRole('link', { name: 'webhook endpoints' }).click();
      await page.getByText('Paused: the endpoint returned 410 (Gone)').first().waitFor();
      await inspect(page, `operate-gone-${look}`);
    },
  );

  it('is not there for others, who load none of its code', async () => {
    await using visit = await world.visit();
    const { page } = visit;
    const scripts: Promise<string>[] = [];
    page.on('response', (response) => {
      if (response.url().endsWith('.js')) scripts.push(response.text());
    });
    await openConsole(visit, 'bob');
    await page.getByRole('heading', { name: 'API keys', exact: true }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('link', { name: 'Operate' }).count()).toBe(0);
    await page.goto('console#operate');
    await page.getByText('This view is for operators').waitFor();
    await inspect(page, 'operate-nobody');
    const loaded = await Promise.all(scripts);
    expect(loaded.join()).toContain('keys.create');
    expect(loaded.join()).not.toContain('operate.erase');
  });
});

describe.skipIf(!canRun)('with ADMIN=off', () => {
  it('it is missing, and the rest of the console works', async () => {
    await using world = await startWorld();
    await using visit = await world.visit();
    await openConsole(visit, 'bob', '#operate');
    await visit.page.getByRole('heading', { name: 'API keys', exact: true }).waitFor();
    expect(await visit.page.content()).not.toContain('keyward.admin');
    expect(await visit.page.locator('body').innerText()).not.toContain('Operate');
  });
});
