import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** What a person does with an operation of the API reference. */
export function useReference(pageOf: () => Page) {
  const operationOf = (id: string) => pageOf().locator(`article[id="${id}"]`);
  const formOf = (id: string) => operationOf(id).getByRole('form');
  /** Opens or closes the form of an operation. */
  const toggle = (id: string) => operationOf(id).locator('.try').click();
  const open = async (id: string) => {
    await toggle(id);
    await formOf(id).waitFor();
  };
  const send = (id: string) => formOf(id).getByRole('button', { name: /^Send/ }).click();
  /** Sends, and confirms where the operation changes something. */
  const execute = async (id: string) => {
    await send(id);
    const confirm = formOf(id).getByRole('button', { name: 'Send, and change data' });
    if (await confirm.isVisible()) await confirm.click();
  };
  const status = async (id: string) => (await formOf(id).locator('.status').textContent())?.trim() ?? '';
  const answers = (id: string, expected: string | RegExp) =>
    expect.poll(() => status(id), { timeout: 10_000 }).toMatch(expected);
  const resultOf = (id: string, title: string) =>
    formOf(id)
      .locator('figure', { has: pageOf().getByText(title, { exact: true }) })
      .locator('pre')
      .textContent();
  return { operationOf, formOf, toggle, open, send, execute, status, answers, resultOf };
}

/** Lays out also what is out of sight, so that everything is looked at. */
export const layOutAll = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('article, .topic { content-visibility: visible !important; }');
    document.adoptedStyleSheets = [sheet];
  });
