import { z } from 'zod';

/** The most characters that a name may have, counted as Unicode code points. */
const longest = 100;

/** The display name of an API key: trimmed, or null for none. */
export const apiKeyName = z
  .string()
  .trim()
  .min(1, 'Must have at least 1 character that is not white space.')
  .refine((name) => [...name].length <= longest, {
    message: `Must have at most ${longest} characters.`,
    params: { type: 'string_too_long' },
  })
  .nullable();
