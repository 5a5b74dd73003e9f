import { z } from 'zod';
import { json, secureUrl, textOfFile } from '../values/kinds.ts';
import { scannerKeys } from '../values/scanner-keys.ts';

/** The variables of reports of API keys that a scanner found in public. */
export const leakReportVariables = {
  LEAKED_KEYS: z
    .enum(['off', 'mark', 'pause', 'end'], 'must be "off", "mark", "pause" or "end"')
    .default('off')
    .meta({
      description:
        'What to do with an API key that GitHub reports as public. `end`: deactivate it for good. `pause`: pause it, until its owner has rotated it and resumes it. `mark`: only tell its owner and the [webhooks](webhooks.md). `off`: accept no reports. See [Leaked keys](operators.md#leaked-keys)',
      example: 'end',
    }),
  LEAK_REPORT_KEYS_URL: secureUrl.default('https://api.github.com/meta/public_keys/secret_scanning').meta({
    description: 'URL of the public keys that sign the reports',
    example: 'https://keys.example.com/secret_scanning',
  }),
  LEAK_REPORT_KEYS_FILE: textOfFile
    .pipe(json('must name a file with JSON'))
    .pipe(scannerKeys)
    .optional()
    .meta({
      description: 'File with these public keys as published. If set, none are fetched',
      unset: 'fetched from the URL',
      example: '/etc/keyward/report-keys.json',
    }),
};
