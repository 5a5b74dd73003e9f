import { z } from 'zod';
import { baseUrl, integer, onOrOff } from '../values/kinds.ts';

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** The samplers of OpenTelemetry's specification. */
const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** The variables of logs, metrics and traces. */
export const observabilityVariables = {
  LOG_LEVEL: z
    .enum(levels, { error: 'must be fatal, error, warn, info, debug, trace or silent' })
    .default('info')
    .meta({
      description:
        'The least that is logged: `fatal`, `error`, `warn`, `info`, `debug`, `trace`, or `silent` for nothing',
      example: 'debug',
    }),
  LOG_CLIENT_ADDRESS: onOrOff.default(false).meta({
    description:
      "`on` puts the client's address into each request's line, as `clientAddress`. It is personal data: log it only where somebody needs it, and no longer than they do",
    example: 'on',
  }),
  METRICS_PORT: integer(1, 65_535).optional().meta({
    description: 'TCP port of the metrics for Prometheus, at `/metrics`, apart from `PORT`',
    unset: 'no metrics',
    example: '9464',
  }),
  METRICS_HOST: z.string().default('127.0.0.1').meta({
    description: 'Address on which metrics are served. Whoever reaches it can read them',
    example: '0.0.0.0',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl.optional().meta({
    description: 'Where traces are sent: the base URL of an OpenTelemetry collector, by OTLP over HTTP',
    unset: 'no traces',
    example: 'http://127.0.0.1:4318',
  }),
  OTEL_EXPORTER_OTLP_TIMEOUT: integer(1, 60_000).default(2000).meta({
    description:
      'How long sending traces may take, in milliseconds as OpenTelemetry has it. A stop may take this much longer',
    example: '5000',
  }),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers, { error: `must be one of ${samplers.join(', ')}` })
    .default('parentbased_always_on')
    .meta({
      description:
        'Which requests are traced: `always_on`, `always_off`, `traceidratio`, or `parentbased_` before one of these, where a caller that traces decides for its own requests',
      example: 'parentbased_traceidratio',
    }),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, 'must be a number from 0 to 1')
    .transform(Number)
    .default(1)
    .meta({
      description: 'The part of all requests that a `traceidratio` traces, from 0 to 1',
      example: '0.1',
    }),
};
