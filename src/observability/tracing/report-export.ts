import { ExportResultCode } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { describeError } from '../describe-error.ts';

/** An exporter that tells the log when spans can no longer be sent, and when they can again: once each. */
export function reportExport(exporter: SpanExporter, logger: Logger): SpanExporter {
  let failing = false;
  const report = (failed: boolean, error?: Error) => {
    if (failed === failing) return;
    failing = failed;
    if (failed) logger.warn({ error: describeError(error) }, 'traces cannot be sent, and are dropped');
    else logger.info('traces are sent again');
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
