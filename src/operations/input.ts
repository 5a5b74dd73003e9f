import type { z } from 'zod';

/** The arguments of zod's `refine` for a text's longest length, in Unicode code points, as in JSON Schema. */
const atMostCharacters = (longest: number) =>
  [
    (text: string) => [...text].length <= longest,
    { message: `Must have at most ${longest} characters.`, params: { type: 'string_too_long' } },
  ] as const;

/**
 * Limits the length of a text, in Unicode code points. The pattern tells clients that the text must not contain NUL.
 */
export const atMostLong = (text: z.ZodString, longest: number) =>
  text.refine(...atMostCharacters(longest)).meta({ maxLength: longest, pattern: String.raw`^[^\x00]*$` });

/** The most characters of an operator's reason for an action. */
export const longestReason = 500;

/** The most bytes of a text of so many Unicode code points, as JSON: a control character has six. */
export const mostTextBytes = (characters: number): number => 6 * characters + 2;

/**
 * Trims a person's text, and requires 1 to `longest` Unicode code points: `" a "` → `"a"`. The pattern tells clients
 * the same, because JSON Schema does not trim and has no keyword for a text without NUL.
 */
export const trimmed = (text: z.ZodString, longest: number) =>
  text
    .trim()
    .min(1, 'Must have at least 1 character that is not white space.')
    .refine(...atMostCharacters(longest))
    .meta({ pattern: String.raw`^\s*[^\s\x00](?:[^\x00]{0,${longest - 2}}[^\s\x00])?\s*$` });

/**
 * Limits a number.
 * @param unit the unit that the messages name; empty: none
 */
export const within = (number: z.ZodInt, min: number, max: number, unit = '') =>
  number
    .min(min, `Must be at least ${[min, unit].join(' ').trim()}.`)
    .max(max, `Must be at most ${[max, unit].join(' ').trim()}.`);

/** Limits the number of an object's members, and its bytes as JSON in UTF-8. */
export const atMostLarge = <Object extends z.ZodType<object>>(
  object: Object,
  members: number,
  bytes: number,
): Object =>
  object
    .refine((given) => Object.keys(given).length <= members, {
      message: `Must have at most ${members} members.`,
      params: { type: 'too_long' },
    })
    .refine((given) => Buffer.byteLength(JSON.stringify(given)) <= bytes, {
      message: `Must have at most ${bytes} bytes as JSON.`,
      params: { type: 'too_long' },
    });

/** The arguments of zod's `refine` for a list's longest length. If the list is too long, no later check runs. */
export const atMost = (longest: number) =>
  [
    (list: readonly unknown[]) => list.length <= longest,
    { message: `Must have at most ${longest} items.`, params: { type: 'too_long' }, abort: true },
  ] as const;

/** The issue of an item that fails a check. */
interface ItemIssue {
  readonly message: string;
  readonly params?: { readonly type: string };
}

/**
 * Checks each item of a list, for zod's `superRefine` after {@link atMost}. zod itself would check the items before
 * the length, and an issue for each of thousands of items takes seconds.
 */
export const eachItem =
  <Item>(isGood: (item: Item) => boolean, issue: ItemIssue) =>
  (list: readonly Item[], { addIssue }: Pick<z.RefinementCtx, 'addIssue'>): void => {
    for (const [index, item] of list.entries())
      if (!isGood(item)) addIssue({ code: 'custom', path: [index], ...issue });
  };

/** The arguments of zod's `refine` that refuse a list with a repeated item. */
export const onlyOnce = [
  (list: readonly unknown[]) => new Set(list).size === list.length,
  { message: 'Must not contain duplicates.' },
] as const;

/** Whether a moment lies in the years 1970 to 9999, UTC: the only ones that inputs accept and outputs write alike. */
export const isInBounds = (moment: Date): boolean =>
  moment.getUTCFullYear() >= 1970 && moment.getUTCFullYear() <= 9999;

/** The message for a moment outside {@link isInBounds}. */
export const outOfBounds = 'Must be in the years 1970 to 9999 (UTC).';
