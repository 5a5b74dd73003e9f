// A load generator: as many requests as 16 connections take, or a steady number a second (an open loop: a request is
// sent when it is due, whether or not those before it were answered).
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';

interface Job {
  readonly url: string;
  readonly requests: readonly Dispatcher.DispatchOptions[];
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second; undefined: as many as are answered. */
  readonly rate?: number;
}

const { url, requests, connections, seconds, rate }: Job = JSON.parse(readFileSync(0, 'utf8'));
const pool = new Pool(url, { connections, pipelining: 1 });
/** Milliseconds from sending a request to the end of its answer. */
const latencies: number[] = [];
let errors = 0;
let sent = 0;

/** Sends the next request; resolves when it is answered, or has failed. */
const send = (): Promise<void> =>
  new Promise((resolve) => {
    const sentAt = performance.now();
    const request = requests[sent % requests.length] as Dispatcher.DispatchOptions;
    sent += 1;
    pool.dispatch(request, {
      onRequestStart: () => {},
      onResponseStart: (_controller, status) => {
        if (status < 200 || status > 299) errors += 1;
      },
      onResponseData: () => {},
      onResponseEnd: () => {
        latencies.push(performance.now() - sentAt);
        resolve();
      },
      onResponseError: () => {
        errors += 1;
        resolve();
      },
    });
  });

async function saturate(): Promise<void> {
  const end = performance.now() + seconds * 1000;
  const connection = async () => {
    while (performance.now() < end) await send();
  };
  await Promise.all(Array.from({ length: connections }, connection));
}

async function pace(perSecond: number): Promise<void> {
  const startedAt = performance.now();
  const all: Promise<void>[] = [];
  while (sent < perSecond * seconds) {
    const due = ((performance.now() - startedAt) / 1000) * perSecond;
    while (sent < due) all.push(send());
    // No timer is as fine as this: it looks at the clock again and again.
    await setImmediate();
  }
  await Promise.all(all);
}

const startedAt = performance.now();
await (rate === undefined ? saturate() : pace(rate));
const elapsed = (performance.now() - startedAt) / 1000;
await pool.close();
const sorted = Float64Array.from(latencies).sort();
const percentile = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
const result = {
  requests: latencies.length,
  seconds: elapsed,
  errors,
  p50: percentile(0.5),
  p99: percentile(0.99),
};
process.stdout.write(JSON.stringify(result));
