import { z } from 'zod';
import { integer, names, onOrOff, seconds } from '../values/kinds.ts';

/** The variables that limit callers' requests and data. */
export const limitVariables = {
  API_KEYS_PER_ACCOUNT: integer(1, 100_000).default(1000).meta({
    description:
      'The most active API keys of one person; one more is answered 409. Those that have expired count until they are deactivated',
    example: '100',
  }),
  API_KEY_DAYS_DEFAULT: integer(1, 36_500).optional().meta({
    description: 'Days after which a new API key expires if it is created without `expires_at`',
    unset: 'it does not expire, or after `API_KEY_DAYS_MAX`',
    example: '90',
  }),
  API_KEY_DAYS_MAX: integer(1, 36_500).optional().meta({
    description:
      'The longest life of an API key, in days, whatever the plan of its account. A key cannot be created or changed to live longer; existing keys stay',
    unset: 'no limit',
    example: '365',
  }),
  PLANS_FILE: z.string().optional().meta({
    description:
      "A file of the provider's plans, in YAML or JSON: the most that an account may have, whatever its owner gives its API keys. It is read at the start",
    unset: 'no plans',
    example: '/etc/keyward/plans.yaml',
  }),
  CHANGES_PER_DAY: integer(1, 999_999_999).default(2000).meta({
    description:
      'The most changes that one person may make in a day (UTC); one more is answered 429. [Changes of a day](edge.md#changes-of-a-day) tells more',
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
        'What new API keys begin with: 2 to 20 characters of `a-z`, `0-9`, `_` and `-`, with a letter at its beginning and `_` or `-` at its end. Keys that were made under another one stay good. One of your own lets [leaked keys](operators.md#leaked-keys) be found',
      example: 'acme_',
    }),
  API_KEY_PERMISSIONS: names
    .refine((list) => list.every((name) => /^[a-z0-9._:-]{1,100}$/.test(name)), {
      message: 'must be names of 1 to 100 characters of a-z, 0-9, and . _ : -, with commas between them',
    })
    .optional()
    .meta({
      description:
        'The permissions that exist, with commas between them: an API key may be given these, `*`, and wildcards such as `documents.*` that stand for one of them. Keys that have others keep them',
      unset: 'any name',
      example: 'documents.read,documents.write',
    }),
  SESSION_DURATION_MIN: seconds(1, 999_999_999).default(60).meta({
    description: 'Least `session_duration`, in seconds',
    example: '60',
  }),
  SESSION_DURATION_MAX: seconds(1, 999_999_999).default(86_400).meta({
    description: 'Greatest `session_duration`, in seconds',
    example: '86400',
  }),
  AUTOMATION_DEFAULT_ENABLED: onOrOff.optional().meta({
    description: 'What `is_enabled` reads as for somebody who never set it',
    unset: '`null`',
    example: 'on',
  }),
  AUTOMATION_DEFAULT_SESSION_DURATION: seconds(1, 999_999_999).optional().meta({
    description:
      'What `session_duration` reads as for somebody who never set it, in seconds, within the bounds above',
    unset: '`null`',
    example: '3600',
  }),
};
