import { z } from 'zod';
import { atMostCharacters } from '../operations/input.ts';

/** The most characters of a reason, counted as Unicode code points. */
const longest = 500;

/** Why an operator does something, in words: trimmed. */
export const reason = z
  .string()
  .trim()
  .min(1, 'Must have at least 1 character that is not white space.')
  .refine(...atMostCharacters(longest))
  .meta({ pattern: String.raw`^\s*[^\s\x00](?:[^\x00]{0,${longest - 2}}[^\s\x00])?\s*$` });

/** The same as an argument of a field; each gives an example of its own. */
export const reasonArgument = {
  required: true,
  description:
    'Why, for the audit trail and for whom it concerns: 1 to 500 characters, without white space at its ends.',
} as const;
