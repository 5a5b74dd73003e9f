import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verificationFailures } from '../../src/api-keys/verify/verify-secret.ts';
import { canRun, jsonOf, startWorld, type World } from '../support/browser.ts';
import { between, call, inspect, keyRow, looks, openConsole, openKey, tabTo } from './console-person.ts';

interface Asked {
  readonly keyId?: number;
  readonly from: string;
  readonly to: string;
  readonly by: 'HOUR' | 'DAY';
}

interface Count {
  readonly at: string;
  readonly outcome: string;
  readonly count: number;
}

/** The beginnings of all hours or days of a time. */
const periodsOf = ({ from, to, by }: Asked): string[] => {
  const step = by === 'DAY' ? 86_400_000 : 3_600_000;
  const count = (Date.parse(to) - Date.parse(from)) / step;
  return Array.from({ length: count }, (_, index) => new Date(Date.parse(from) + index * step).toISOString());
};

/** Answers questions for use; anything else goes on. */
const answer = (countsOf: (asked: Asked) => readonly Count[]) => async (route: Route) => {
  const { variables } = jsonOf(route.request());
  if (variables?.by === undefined) return route.continue();
  return route.fulfill({ json: { data: { usage: { counts: countsOf(variables) } } } });
};

const one = (asked: Asked): Count[] => [{ at: periodsOf(asked).at(-1) ?? '', outcome: 'valid', count: 1 }];

/** Every hour or day has some of a hundred thousand, and every third has refusals. */
const many = (asked: Asked): Count[] =>
  periodsOf(asked).flatMap((at, index) => [
    { at, outcome: 'valid', count: 100_000 - index * 100 },
    ...(index % 3 === 0
      ? [
          { at, outcome: 'address_not_allowed', count: 9000 },
          { at, outcome: 'expired', count: 1 },
        ]
      : []),
  ]);

/** An unknown key is nobody's, so its refusals are not counted. */
const reasons = verificationFailures.filter((reason) => reason !== 'not_found');

/** Refusals for all reasons in the last hour or day. */
const manyReasons = (asked: Asked): Count[] => [
  ...one(asked),
  ...reasons.map((outcome, index) => ({ at: periodsOf(asked).at(-1) ?? '', outcome, count: 20 - index })),
];

const show = (page: Page, span: string) =>
  page.getByRole('group', { name: 'Time range' }).getByText(span).click();
const chart = (page: Page) => page.getByRole('img', { name: 'Chart.' });

/** The numbers of the table, row by row, without when they were. */
const tableOf = (page: Page): Promise<string[][]> =>
  page
    .locator('.usage-table tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.innerText)));

describe.skipIf(!canRun)('usage of keys', () => {
  let world: World;
  let secret: string;
  beforeAll(async () => {
    world = await startWorld();
    const made = await call(world, 'usage', 'POST /auth/keys', { name: 'Robot' });
    await call(world, 'usage', 'POST /auth/keys', { name: 'Idle' });
    secret = made.key;
    // It is on the page half a minute later, while the other tests run.
    for (let times = 0; times < 3; times += 1) await ask(secret);
    await call(world, 'usage', `DELETE /auth/keys/${made.id}`);
    expect((await ask(secret)).status).toBe(401);
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  const ask = (key: string) =>
    fetch(`${world.inside}/api/v1/keys/authorize`, { headers: { 'x-api-key': key } });

  it.each(looks)('looks good and is accessible: %s', async (look, options) => {
    await using visit = await world.visit(options);
    const page = await openConsole(visit, 'somebody new', '#usage');
    await page.getByRole('heading', { name: 'Not used in the last 24 hours' }).waitFor();
    await inspect(page, `usage-none-${look}`);
    for (const [name, countsOf] of Object.entries({ one, many, manyReasons })) {
      await using _answers = await between(page, answer(countsOf));
      await page.reload();
      for (const span of ['24 hours', '7 days', '30 days']) {
        await show(page, span);
        await page.getByText(`in the last ${span}`, { exact: false }).first().waitFor();
        await chart(page).waitFor();
        await inspect(page, `usage-${name}-${span.replace(' ', '-')}-${look}`);
      }
      await page.getByText('Show as a table').click();
      await inspect(page, `usage-${name}-table-${look}`);
    }
    expect(visit.complaints).toEqual([]);
    expect(visit.foreign()).toEqual([]);
  });

  it('has the same numbers in words, chart and table, and works with the keyboard', async () => {
    await using visit = await world.visit();
    const { page } = visit;
    await using _answers = await between(page, answer(many));
    await openConsole(visit, 'somebody else', '#usage');
    await chart(page).waitFor();
    const counts = Array.from({ length: 24 }, (_, index) => 100_000 - index * 100);
    const valid = counts.reduce((sum, count) => sum + count).toLocaleString('en');
    const summary = `${valid} valid, 72,008 refused (72,000 address not allowed, 8 expired)`;
    expect(await page.locator('.usage-summary').innerText()).toContain(summary);
    expect(await chart(page).getAttribute('aria-label')).toContain(summary);
    await page.getByText('Show as a table').click();
    const inDigits = (count: number) => count.toLocaleString('en');
    const rows = counts.map((count, index) =>
      index % 3 === 0 ? [inDigits(count), '9,000', '1'] : [inDigits(count), '0', '0'],
    );
    expect(await tableOf(page)).toEqual(rows.toReversed());
    await page.getByRole('heading', { name: 'Usage' }).focus();
    await tabTo(page, 'Hour');
    const said = () => page.getByRole('slider', { name: 'Hour' }).getAttribute('aria-valuetext');
    expect(await said()).toMatch(/: 97,700 valid, none refused$/);
    await page.keyboard.press('Home');
    expect(await said()).toMatch(/: 100,000 valid, 9,001 refused \(9,000 address not allowed, 1 expired\)$/);
    await page.keyboard.press('ArrowRight');
    expect(await said()).toMatch(/: 99,900 valid, none refused$/);
    // And by a mouse.
    const { x = 0, y = 0, width = 0 } = (await chart(page).boundingBox()) ?? {};
    await page.mouse.move(x + width * (3.5 / 24), y + 50);
    await expect.poll(said).toMatch(/: 99,700 valid, 9,001 refused/);
  });

  it('shows refusals below the line on their own scale, if there are any', async () => {
    await using visit = await world.visit();
    const { page } = visit;
    const draw = async (countsOf: (asked: Asked) => readonly Count[]) => {
      await using _answers = await between(page, answer(countsOf));
      await page.reload();
      await chart(page).waitFor();
    };
    await openConsole(visit, 'somebody refused', '#usage');
    await draw(many);
    const bars = await chart(page).evaluate((svg) => {
      // In Firefox, the box of a line includes its stroke, and coordinates are rounded to a 60th of a pixel.
      const { y = 0, height: stroke = 0 } = svg.querySelector('.zero line')?.getBoundingClientRect() ?? {};
      const line = y + stroke / 2;
      const tolerance = 0.05;
      return [...svg.querySelectorAll('rect:not(.chosen)')].map((rect) => {
        const { top, bottom, height } = rect.getBoundingClientRect();
        return {
          isValid: rect.classList.contains('valid'),
          isAbove: bottom <= line + tolerance,
          isBelow: top >= line - tolerance,
          height,
        };
      });
    });
    const valid = bars.filter(({ isValid }) => isValid);
    const refused = bars.filter(({ isValid }) => !isValid);
    expect(valid.filter(({ isAbove }) => isAbove)).toHaveLength(24);
    // Each third hour has two reasons.
    expect(refused.filter(({ isBelow }) => isBelow)).toHaveLength(16);
    const highest = (of: readonly { height: number }[]) => Math.max(...of.map(({ height }) => height));
    // 9,001 of 109,001 would be a twelfth of it on the same scale.
    expect(highest(refused)).toBeGreaterThan(highest(valid) / 4);
    const marks = chart(page).locator('.mark text');
    expect(await marks.allTextContents()).toEqual(['0', '20k', '40k', '60k', '80k', '100k', '5k', '10k']);
    const before = await chart(page).boundingBox();
    await draw(one);
    expect(await marks.allTextContents()).toEqual(['0', '1']);
    expect((await chart(page).boundingBox())?.height).toBeLessThan(before?.height ?? 0);
  });

  it('rare reasons beside a frequent one stay above the times', async () => {
    await using visit = await world.visit();
    const { page } = visit;
    await using _answers = await between(
      page,
      answer((asked) =>
        manyReasons(asked).map((each, index) => (index === 1 ? { ...each, count: 100_000 } : each)),
      ),
    );
    await openConsole(visit, 'somebody lopsided', '#usage');
    await chart(page).waitFor();
    const [lowest, times] = await chart(page).evaluate((svg) => {
      const bottoms = [...svg.querySelectorAll('rect:not(.chosen)')].map(
        (rect) => rect.getBoundingClientRect().bottom,
      );
      const texts = [...svg.querySelectorAll('text[text-anchor="middle"]')];
      return [Math.max(...bottoms), Math.min(...texts.map((text) => text.getBoundingClientRect().top))];
    });
    expect(lowest).toBeLessThan(times ?? 0);
  });

  it('each reason of refusal has its own pattern, and the legend names it', async () => {
    await using visit = await world.visit();
    const { page } = visit;
    await using _answers = await between(page, answer(manyReasons));
    await openConsole(visit, 'somebody unlucky', '#usage');
    await chart(page).waitFor();
    const legend = await page.locator('.legend li').allTextContents();
    const named = reasons.map((reason, index) => `${reason.replaceAll('_', ' ')} ${20 - index}`);
    expect(legend.map((text) => text.toLowerCase())).toEqual(['valid 1', ...named]);
    const drawn = (selector: string) =>
      page
        .locator(selector)
        .evaluateAll((patterns) =>
          patterns.map((pattern) => pattern.getAttribute('patternTransform') + pattern.innerHTML),
        );
    const patterns = await drawn('.plot pattern');
    expect(new Set(patterns).size).toBe(reasons.length);
    expect(await drawn('.legend pattern')).toEqual(patterns);
  });

  it('shows one key or all, and loads its code only when it is shown', async () => {
    await using visit = await world.visit();
    const { page } = visit;
    const scripts: string[] = [];
    page.on('response', (response) => scripts.push(response.url()));
    const asked: Asked[] = [];
    await using _answers = await between(
      page,
      answer((variables) => {
        asked.push(variables);
        return one(variables);
      }),
    );
    await openConsole(visit, 'usage');
    await keyRow(page, 'Idle').waitFor();
    await page.waitForLoadState('networkidle');
    const charts = () => scripts.filter((url) => url.includes('usage-chart'));
    expect(charts()).toEqual([]);
    await openKey(page, 'Idle');
    await chart(page).waitFor();
    const id = /^#keys\/(\d+)$/.exec(new URL(page.url()).hash)?.[1];
    await page.goto(`console#usage/${id}`);
    await chart(page).waitFor();
    expect(charts()).toHaveLength(1);
    const choice = page.getByRole('combobox', { name: 'API key' });
    await expect.poll(() => choice.locator('option:checked').innerText()).toBe('Idle');
    const { keyId } = asked.at(-1) ?? {};
    expect(new URL(page.url()).hash).toBe(`#usage/${keyId}`);
    await choice.selectOption('All API keys');
    await expect.poll(() => asked.at(-1)).not.toHaveProperty('keyId');
    await show(page, '30 days');
    await expect.poll(() => asked.at(-1)?.by).toBe('DAY');
    await page.goBack();
    await expect.poll(() => choice.locator('option:checked').innerText()).toBe('Idle');
    await page.unrouteAll();
    await page.goto('console#usage/999999');
    await page.getByRole('alert').getByText('API key not found').waitFor();
  });

  it('shows what was asked at the authorize path', async () => {
    await using visit = await world.visit();
    const page = await openConsole(visit, 'usage', '#usage');
    await expect
      .poll(
        async () => {
          await page.reload();
          await page.locator('.usage-summary, .empty').first().waitFor();
          return page.getByRole('main').innerText();
        },
        { timeout: 90_000, interval: 2000 },
      )
      .toContain('4 verifications in the last 24 hours: 3 valid, 1 refused (1 inactive)');
    const byKey = page.getByRole('region', { name: 'By key, in 14 days' });
    expect(await byKey.getByRole('row').allTextContents()).toEqual(['KeyValidRefusedWhy', 'Robot31inactive']);
    await inspect(page, 'usage-by-key');
    await byKey.getByRole('link', { name: 'Robot' }).click();
    await page.getByText('3 valid, 1 refused (1 inactive)', { exact: false }).first().waitFor();
    await page.getByRole('row', { name: /^Inactive 1 .* Give the program another key\.$/ }).waitFor();
    await inspect(page, 'key-used');
    await openKey(page, 'Idle');
    await page.getByRole('heading', { name: 'Not used in the last 24 hours' }).waitFor();
    expect(visit.complaints).toEqual([]);
  }, 120_000);
});
