import { setTimeout as delay } from 'node:timers/promises';
import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { TracingConfig } from '../../config/config.ts';
import { describeError } from '../log.ts';
import { readVersion } from '../version.ts';
import { createTracing, type Tracing } from './tracing.ts';

/** Wraps an exporter: the log reports once that spans can no longer be sent, and once that they can again. */
function reportExport(exporter: SpanExporter, logger: Logger): SpanExporter {
  let failing = false;
  const report = (failed: boolean, error?: Error) => {
    if (failed === failing) return;
    failing = failed;
    if (failed) logger.warn({ error: describeError(error) }, 'could not send traces; dropped them');
    else logger.info('sending traces again');
  };
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        report(result.code === ExportResultCode.FAILED, result.error);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}

/** The longest wait for the collector at a stop, in milliseconds. The whole stop has ten seconds. */
const lastPatience = 5000;

/**
 * Starts tracing. The tracer sends spans in batches in the background, and drops spans that it cannot send.
 * OpenTelemetry itself reads the endpoint and the header fields from the environment. Disposal sends the remaining
 * spans.
 * @param system the database's name in OpenTelemetry's conventions
 */
export function startTracing(
  config: TracingConfig,
  system: 'postgresql' | 'sqlite',
  logger: Logger,
): Tracing & AsyncDisposable {
  const exporter = reportExport(new OTLPTraceExporter({ timeoutMillis: config.timeout }), logger);
  const provider = new TracerProvider({
    resource: createResource(),
    sampler: createSampler(config),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  return {
    ...createTracing(provider.getTracer('keyward', readVersion()), system),
    [Symbol.asyncDispose]: async () => {
      // A silent collector must not delay the stop. The log already has the failure.
      const flushed = provider.shutdown().catch(() => {});
      await Promise.race([flushed, delay(Math.min(config.timeout, lastPatience), undefined, { ref: false })]);
    },
  };
}

/**
 * The resource that describes this service. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override the default name.
 */
const createResource = (): Resource =>
  defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'keyward', 'service.version': readVersion() }))
    .merge(
      detectResources({
        detectors: [serviceInstanceIdDetector, resourceAttributesEnvDetector, serviceNameEnvDetector],
      }),
    );

const createSampler = ({ sampler, ratio }: TracingConfig): Sampler => {
  const root = createRootSampler(sampler.replace('parentbased_', ''), ratio);
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
};

const createRootSampler = (name: string, ratio: number): Sampler => {
  if (name === 'traceidratio') return new TraceIdRatioBasedSampler(ratio);
  return name === 'always_off' ? new AlwaysOffSampler() : new AlwaysOnSampler();
};
