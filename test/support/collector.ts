import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

/** A span, as OTLP sends it, its attributes as an object. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

const toObject = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const accept = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
};

/**
 * An OpenTelemetry collector: OTLP over HTTP, as JSON.
 * @param answer how it answers what it is sent
 */
export async function startCollector(answer: (response: ServerResponse) => void = accept) {
  const spans: CollectedSpan[] = [];
  const resources: Record<string, unknown>[] = [];
  const headers: Record<string, unknown>[] = [];
  const texts: string[] = [];
  const server = createServer(async (request, response) => {
    // biome-ignore lint/suspicious/noExplicitAny: as it came
    const body = (await json(request)) as any;
    headers.push({ ...request.headers, path: request.url });
    texts.push(JSON.stringify(body));
    for (const { resource, scopeSpans } of body.resourceSpans) {
      resources.push(toObject(resource.attributes));
      for (const span of scopeSpans.flatMap((scope: { spans: unknown[] }) => scope.spans))
        spans.push({ ...span, attributes: toObject(span.attributes) });
    }
    answer(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What was sent so far. */
    spans,
    resources,
    headers,
    /** All bodies, as one text. */
    text: () => texts.join('\n'),
    /** Waits until as many spans were sent. */
    until: async (count: number) => {
      while (spans.length < count) await delay(20);
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
