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
        'The lowest level to log: `fatal`, `error`, `warn`, `info`, `debug`, `trace`, or `silent` for nothing',
      example: 'debug',
    }),
  LOG_CLIENT_ADDRESS: onOrOff.default(false).meta({
    description:
      "`on` logs the client's address with each request, as `clientAddress`. It is personal data: keep it only as long as you need it",
    example: 'on',
  }),
  METRICS_PORT: integer(1, 65_535).optional().meta({
    description: 'TCP port of the Prometheus metrics, at `/metrics`. Not the same as `PORT`',
    unset: 'no metrics',
    example: '9464',
  }),
  METRICS_HOST: z.string().default('127.0.0.1').meta({
    description: 'Address that serves the metrics. Anyone who can reach it can read them',
    example: '0.0.0.0',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl.optional().meta({
    description: 'Base URL of the OpenTelemetry collector that gets the traces, by OTLP over HTTP',
    unset: 'no traces',
    example: 'http://127.0.0.1:4318',
  }),
  OTEL_EXPORTER_OTLP_TIMEOUT: integer(1, 60_000).default(2000).meta({
    description: 'How long sending traces may take, in milliseconds. A stop can take this much longer',
    example: '5000',
  }),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers, { error: `must be one of ${samplers.join(', ')}` })
    .default('parentbased_always_on')
    .meta({
      description:
        'Which requests are traced: `always_on`, `always_off` or `traceidratio`. With `parentbased_` before one of these, a caller that sends a trace context decides',
      example: 'parentbased_traceidratio',
    }),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, 'must be a number from 0 to 1')
    .transform(Number)
    .default(1)
    .meta({
      description: 'The share of requests that a `traceidratio` traces (0–1)',
      example: '0.1',
    }),
};
