import { z } from 'zod';

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** What is told of the running service. */
export const observabilityVariables = {
  LOG_LEVEL: z
    .enum(levels, { error: 'must be fatal, error, warn, info, debug, trace or silent' })
    .default('info')
    .meta({
      description:
        'The least that is logged: `fatal`, `error`, `warn`, `info`, `debug`, `trace`, or `silent` for nothing',
      example: 'debug',
    }),
};
