import { z } from 'zod';

/** The least number of a secret's characters that its prefix does not reveal. */
export const leastHidden = 16;

/** Whether a prefix reveals little enough of its key. */
export const hidesEnough = (key: string, prefix: string): boolean =>
  key.length >= prefix.length + leastHidden;

/** Makes a rule of a time into one of a time that is over. */
export const past = <Schema extends z.ZodType<Date>>(schema: Schema) =>
  schema.refine((date) => date.getTime() <= Date.now(), { message: 'Must not be in the future.' });

/** The schema of a text of visible ASCII characters. */
export const visible = (most: number) =>
  z.string().regex(new RegExp(String.raw`^[\x21-\x7e]{1,${most}}$`), {
    error: `Must be 1 to ${most} visible ASCII characters.`,
  });
