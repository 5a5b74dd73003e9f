import { z } from 'zod';
import { integer, names, onOrOff, seconds } from '../values/kinds.ts';

/** The variables that limit callers' requests and data. */
export const limitVariables = {
  API_KEYS_PER_ACCOUNT: integer(1, 100_000).default(1000).meta({
    description:
      'The most active API keys of one person. One more gets 409. Expired keys count until they are deactivated',
    example: '100',
  }),
  API_KEY_DAYS_DEFAULT: integer(1, 36_500).optional().meta({
    description: 'Days until a new API key without `expires_at` expires',
    unset: '`API_KEY_DAYS_MAX`, or never',
    example: '90',
  }),
  API_KEY_DAYS_MAX: integer(1, 36_500).optional().meta({
    description:
      'The longest lifetime of an API key, in days, whatever the plan. It applies to new and changed keys; existing keys stay as they are',
    unset: 'no limit',
    example: '365',
  }),
  PLANS_FILE: z.string().optional().meta({
    description:
      'File with your plans, in YAML or JSON: the bounds of all API keys of an account. Read at the start. See [Plans](plans.md)',
    unset: 'no plans',
    example: '/etc/keyward/plans.yaml',
  }),
  CHANGES_PER_DAY: integer(1, 999_999_999).default(2000).meta({
    description:
      'The most changes that one person may make in a day (UTC). One more gets 429. See [Changes of a day](edge.md#changes-of-a-day)',
    example: '5000',
  }),
  API_KEY_PREFIX: z
    .string()
    .regex(
      /^[a-z][a-z0-9_-]{0,18}[_-]$/,
      'must be 2 to 20 characters of a-z, 0-9, _ and -, with a letter at its beginning and _ or - at its end',
    )
    .default('sk-')
    .meta({
      description:
        'The beginning of new API keys: 2–20 characters of `a-z`, `0-9`, `_` and `-`, starting with a letter and ending with `_` or `-`. Existing keys stay valid. Use your own, so that scanners can find [leaked keys](operators.md#leaked-keys)',
      example: 'acme_',
    }),
  API_KEY_PERMISSIONS: names
    .refine((list) => list.every((name) => /^[a-z0-9._:-]{1,100}$/.test(name)), {
      message: 'must be names of 1 to 100 characters of a-z, 0-9, and . _ : -, separated by commas',
    })
    .optional()
    .meta({
      description:
        'The permissions that an API key can have, separated by commas. Keys can also have `*` and wildcards such as `documents.*` that cover one of them. Existing keys keep others. The console lists them',
      unset: 'any name',
      example: 'documents.read,documents.write',
    }),
  SESSION_DURATION_MIN: seconds(1, 999_999_999).default(60).meta({
    description: 'The shortest `session_duration`, in seconds',
    example: '60',
  }),
  SESSION_DURATION_MAX: seconds(1, 999_999_999).default(86_400).meta({
    description: 'The longest `session_duration`, in seconds',
    example: '86400',
  }),
  AUTOMATION_DEFAULT_ENABLED: onOrOff.optional().meta({
    description: 'Default of `is_enabled` for people who never set it',
    unset: '`null`',
    example: 'on',
  }),
  AUTOMATION_DEFAULT_SESSION_DURATION: seconds(1, 999_999_999).optional().meta({
    description:
      'Default of `session_duration` for people who never set it, in seconds, within the bounds above',
    unset: '`null`',
    example: '3600',
  }),
};
