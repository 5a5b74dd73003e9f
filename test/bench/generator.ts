// A load generator: as many requests as its connections take, or a steady number a second. The latter is an open loop:
// a request is sent when it is due, whether or not those before it were answered; one that waits for a connection is
// timed from when it was due to be sent. It reads a Job from standard input and prints a PacedLoad.
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { Connection } from './connection.ts';
import type { Job } from './own-generator.ts';

/** How long the generator warms up itself, in seconds; nothing of that is counted. */
const warmUp = 1;

const { port, requests, connections, seconds, rate }: Job = JSON.parse(readFileSync(0, 'utf8'));
const all = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)));
const free = [...all];
/** Since when requests wait for a connection. */
const waiting: number[] = [];
/** Milliseconds to each answer. */
let latencies: number[] = [];
let errors = 0;
let sent = 0;

function send(connection: Connection, since: number): void {
  const request = requests[sent % requests.length] ?? '';
  sent += 1;
  connection.send(request, (status) => {
    latencies.push(performance.now() - since);
    if (status < 200 || status > 299) errors += 1;
    const next = waiting.shift();
    if (next === undefined) free.push(connection);
    else send(connection, next);
  });
}

/** Keeps every connection busy. */
async function saturate(time: number): Promise<void> {
  const end = performance.now() + time * 1000;
  while (performance.now() < end) {
    for (const connection of free.splice(0)) send(connection, performance.now());
    await setImmediate();
  }
}

async function pace(time: number, perSecond: number): Promise<void> {
  const startedAt = performance.now();
  for (let issued = 0; issued < perSecond * time; ) {
    const due = Math.min(perSecond * time, ((performance.now() - startedAt) / 1000) * perSecond);
    for (; issued < due; issued += 1) {
      // By turns: one that stays idle for long is closed by the server.
      const connection = free.shift();
      if (connection) send(connection, performance.now());
      else waiting.push(performance.now());
    }
    // No timer is as fine as this: it looks at the clock again and again.
    await setImmediate();
  }
}

/** Makes load for a time, until all of it is answered; returns how many seconds that took. */
async function run(time: number): Promise<number> {
  const startedAt = performance.now();
  await (rate === undefined ? saturate(time) : pace(time, rate));
  while (free.length < connections) await setImmediate();
  return (performance.now() - startedAt) / 1000;
}

await run(warmUp);
latencies = [];
const elapsed = await run(seconds);
for (const connection of all) connection.close();
const sorted = Float64Array.from(latencies).sort();
const percentile = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
process.stdout.write(
  JSON.stringify({
    requests: latencies.length,
    seconds: elapsed,
    errors,
    p50: percentile(0.5),
    p99: percentile(0.99),
  }),
);
