import { z } from 'zod';
import { atMost, eachItem, onlyOnce } from '../operations/input.ts';

/** The most permissions that a key may have, or that may be asked for at once. */
const most = 50;

const pattern = '^[a-z0-9._:*-]{1,100}$';
const wellFormed = new RegExp(pattern);

/** Whether a text is the name of a permission, or of several: `documents.read`, `documents.*`, `*`. */
export const isPermission = (text: string): boolean => wellFormed.test(text);

/** Names of permissions, each of them once. */
export const permissionList = z
  .array(z.string().meta({ pattern }))
  .refine(...atMost(most))
  .superRefine(
    eachItem(isPermission, {
      message: 'Must be 1 to 100 characters of a-z, 0-9, and . _ : * -',
      params: { type: 'string_pattern_mismatch' },
    }),
  )
  .refine(...onlyOnce)
  .meta({ maxItems: most, uniqueItems: true });

/** Whether a permission of a key stands for one that is asked for: `documents.*` for all below, `*` for all. */
export const standsFor = (held: string, wanted: string): boolean =>
  held === wanted ||
  held === '*' ||
  (held.endsWith('.*') && wanted.length > held.length - 1 && wanted.startsWith(held.slice(0, -1)));
