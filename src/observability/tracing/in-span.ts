import {
  type Context,
  type Span,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { GatewayError } from '../../errors.ts';

/** Starts a child span. */
export function beginSpan(tracer: Tracer, name: string, options: SpanOptions, parent: Context) {
  const span = tracer.startSpan(name, options, parent);
  return { span, context: trace.setSpan(parent, span) };
}

/** A span, and the context for its child spans. */
type Within = ReturnType<typeof beginSpan>;

/**
 * Runs a function within a span, and ends the span afterwards. On an error, the span gets the error's kind, never its
 * message.
 */
export async function inSpan<Result>(
  within: Within,
  run: (within: Within) => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await run(within);
  } catch (error) {
    markFailed(within.span, error);
    throw error;
  } finally {
    within.span.end();
  }
}

/** Marks a span as failed, with the kind of the error. */
export function markFailed(span: Span, error: unknown): void {
  span.setAttribute('error.type', kindOf(error));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

const kindOf = (error: unknown): string => {
  if (error instanceof GatewayError) return error.reason ?? error.code;
  return error instanceof Error ? error.name : typeof error;
};
