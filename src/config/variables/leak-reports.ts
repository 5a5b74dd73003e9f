import { z } from 'zod';
import { json, secureUrl, textOfFile } from '../values/kinds.ts';
import { scannerKeys } from '../values/scanner-keys.ts';

/** The variables of reports of API keys that a scanner found in public. */
export const leakReportVariables = {
  LEAKED_KEYS: z.enum(['off', 'mark', 'end'], 'must be "off", "mark" or "end"').default('off').meta({
    description:
      'What becomes of an API key of which GitHub reports that it was found in public: `end` ends it, `mark` only tells its owner and the [webhooks](webhooks.md); `off`: no reports are taken. [Leaked keys](operators.md#leaked-keys) tells more',
    example: 'end',
  }),
  LEAK_REPORT_KEYS_URL: secureUrl.default('https://api.github.com/meta/public_keys/secret_scanning').meta({
    description: 'Where the public keys are that reports are signed by',
    example: 'https://keys.example.com/secret_scanning',
  }),
  LEAK_REPORT_KEYS_FILE: textOfFile
    .pipe(json('must name a file with JSON'))
    .pipe(scannerKeys)
    .optional()
    .meta({
      description: 'A file that holds these keys, as they are published: then none are fetched',
      unset: 'they are fetched',
      example: '/etc/keyward/report-keys.json',
    }),
};
