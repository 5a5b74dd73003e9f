import {
  type Context,
  type Span,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { GatewayError } from '../../errors.ts';

/** A span and what belongs below it. */
export interface Within {
  readonly span: Span;
  readonly context: Context;
}

/** Begins a span below another. */
export function beginSpan(tracer: Tracer, name: string, options: SpanOptions, parent: Context): Within {
  const span = tracer.startSpan(name, options, parent);
  return { span, context: trace.setSpan(parent, span) };
}

/** Runs something in a span of its own, which ends with it. Of an error its kind is told, never its message. */
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

/** Says on a span that it failed, and of what kind the error was. */
export function markFailed(span: Span, error: unknown): void {
  span.setAttribute('error.type', kindOf(error));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

const kindOf = (error: unknown): string => {
  if (error instanceof GatewayError) return error.reason ?? error.code;
  return error instanceof Error ? error.name : typeof error;
};
