import { z } from 'zod';
import { trimmed } from '../operations/input.ts';

/** Why an operator does something, in words. */
export const reason = trimmed(z.string(), 500);

/** The same as an argument of a field; each gives an example of its own. */
export const reasonArgument = {
  required: true,
  description:
    'Why, for the audit trail and for whom it concerns: 1 to 500 characters, without white space at its ends.',
} as const;
