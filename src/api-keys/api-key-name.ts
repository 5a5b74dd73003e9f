import { z } from 'zod';
import { atMostCharacters } from '../operations/input.ts';

/** The most characters that a name may have, counted as Unicode code points. */
const longest = 100;

/** The same for clients: JSON Schema does not trim, and says what a text without a NUL may be. */
const pattern = String.raw`^\s*[^\s\x00](?:[^\x00]{0,${longest - 2}}[^\s\x00])?\s*$`;

/** The display name of an API key: trimmed, or null for none. */
export const apiKeyName = z
  .string()
  .trim()
  .min(1, 'Must have at least 1 character that is not white space.')
  .refine(...atMostCharacters(longest))
  .meta({ pattern })
  .nullable();
