import { assertionKeyList } from '../../secrets/assertion-keys.ts';
import { names, seconds, textOfFile } from '../values/kinds.ts';

/** The variables of signed tokens about API keys. */
export const assertionVariables = {
  ASSERTION_KEYS: assertionKeyList.optional().meta({
    description:
      'Private keys that sign [assertions](assertions.md), as `KID:KEY`. The first signs, and all are published. `npm run assertion-key` makes one. Set `ASSERTION_AUDIENCE` and `PUBLIC_URL` with it',
    unset: 'no assertions; in development, a key is made at each start',
    example: '"$(npm run --silent assertion-key)"',
  }),
  ASSERTION_KEYS_FILE: textOfFile.pipe(assertionKeyList).optional().meta({
    description: 'File with the keys, in place of `ASSERTION_KEYS`',
    example: '/run/secrets/assertion-keys',
  }),
  ASSERTION_AUDIENCE: names
    .refine((list) => list.every((name) => name.length <= 255), 'must have names of at most 255 characters')
    .optional()
    .meta({
      description:
        'Your services that assertions may be for (`aud`), separated by commas. An assertion is for the first, unless a client [exchanges its key](assertions.md#token-exchange) for another',
      unset: 'in development, `api`',
      example: 'https://api.example.com',
    }),
  ASSERTION_SECONDS: seconds(5, 60).default(60).meta({
    description: 'Seconds until an assertion expires, at most',
    example: '30',
  }),
};
