import { setImmediate } from 'node:timers/promises';
import { KeyUsage } from '../../src/api-keys/usage/key-usage.ts';
import { verifySecret } from '../../src/api-keys/verify/verify-secret.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { openDatabase } from '../../src/database/database.ts';
import { Db } from '../../src/database/db.ts';
import { RateCounts } from '../../src/http/rate-limits/limiter.ts';
import { accountQuotas as accountQuotasStore } from '../../src/quotas/account-quotas.ts';
import { keyQuotas as keyQuotasStore } from '../../src/quotas/key-quotas.ts';
import { QuotaLeases } from '../../src/quotas/quota-leases.ts';
import type { Secrets } from '../../src/secrets/secrets.ts';
import { digits } from './table.ts';

/** Calls a second, and for how many seconds. */
const rate = 5000;
const seconds = 10;

/** Calls before anything is timed, and those whose processor time is measured. */
const batch = 5000;

/** Makes calls one after the other; returns the processor time of one, in microseconds. */
async function saturate(call: (index: number) => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  for (let index = 0; index < batch; index += 1) await call(index);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / batch;
}

/**
 * An open loop: each call is made when it is due, and timed from then.
 * @returns milliseconds, sorted; undefined where the machine is too busy for it
 */
async function pace(call: (index: number) => Promise<void>): Promise<Float64Array | undefined> {
  const latencies = new Float64Array(rate * seconds);
  const calls: Promise<void>[] = [];
  const startedAt = performance.now();
  const timed = async (index: number) => {
    const due = startedAt + (index / rate) * 1000;
    await call(index);
    latencies[index] = performance.now() - due;
  };
  while (calls.length < latencies.length) {
    const due = Math.min(latencies.length, ((performance.now() - startedAt) / 1000) * rate);
    // A second behind: it would only fall back further.
    if (due - calls.length > rate) return undefined;
    while (calls.length < due) calls.push(timed(calls.length));
    // No timer is as fine as this: it looks at the clock again and again.
    await setImmediate();
  }
  await Promise.all(calls);
  return latencies.sort();
}

/**
 * Measures `verifySecret` in this process, without HTTP.
 * @param url of an SQLite database that nothing else uses
 * @param valid secrets that are stored in it
 * @returns a sentence
 */
export async function measureVerification(
  url: string,
  valid: readonly string[],
  secrets: Secrets,
): Promise<string> {
  const { database: config } = loadConfig({ DATABASE_URL: url });
  await using database = await openDatabase(config);
  const db = new Db(database.em);
  await using keyUsage = new KeyUsage(db, 90, (error) => {
    throw error;
  });
  await using keyQuotas = new QuotaLeases(db, keyQuotasStore, (error) => {
    throw error;
  });
  await using accountQuotas = new QuotaLeases(db, accountQuotasStore, (error) => {
    throw error;
  });
  const services = {
    settings: loadConfig({}),
    secrets,
    keyUsage,
    keyRates: new RateCounts('key'),
    keyQuotas,
    accountRates: new RateCounts('keys-of-account'),
    accountQuotas,
    importedKeys: { waysOf: () => [] },
    idempotency: { runOnce: () => Promise.reject(new Error('Nothing here runs once')) },
  };
  const context = { db, services, record: {} };
  const call = async (index: number) => {
    const { reason } = await verifySecret(context, {
      secret: valid[index % valid.length] ?? '',
      permissions: [],
      cost: 1,
      address: null,
    });
    if (reason !== null) throw new Error(`A good key is ${reason}`);
  };
  await saturate(call);
  const cpu = await saturate(call);
  const latencies = await pace(call);
  const percentile = (share: number) => digits(latencies?.[Math.floor((latencies.length - 1) * share)]);
  return `${rate.toLocaleString('en')} calls a second for ${seconds} s, as an open loop in one thread: p50 ${percentile(0.5)} ms, p99 ${percentile(0.99)} ms from when a call was due. One call takes ${digits(cpu)} µs of processor time (${batch.toLocaleString('en')} calls one after the other).`;
}
