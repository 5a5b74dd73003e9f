import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { createOnServer } from '../support/database.ts';
import { sha256 } from '../support/imports.ts';
import { report, rounds } from '../support/ledger.ts';
import { queryServer } from '../support/postgres-service.ts';
import { createTemporaryFolder, type ServiceProcess, startProcess, unlimited } from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';
import { queryFile } from '../support/sqlite-service.ts';
import { runTransfer, startTransfer } from '../support/transfer-commands.ts';

/** Keys are counted in tens of thousands. */
const keys = rounds(100, 2) * 10_000;
const accounts = Math.ceil(keys / 5);

/** A key of another store, which has its SHA-256 alone. */
const keyOf = (index: number): string => `acme_live_${sha256(`key ${index}`).slice(0, 40)}`;

function* lines(): Generator<string> {
  for (let index = 0; index < keys; index += 1) {
    const key = keyOf(index);
    const line = {
      issuer: 'https://id.example.com',
      subject: `user-${(index * 7919) % accounts}`,
      name: `Key ${index}`,
      key_prefix: key.slice(0, 14),
      created_at: '2025-01-31T12:00:00Z',
      expires_at: null,
      permissions: ['documents.read'],
      is_active: true,
      sha256: sha256(key),
    };
    yield `${JSON.stringify(line)}\n`;
  }
}

const authorize = async ({ url }: ServiceProcess, key: string): Promise<number> =>
  (await fetch(`${url}/api/v1/keys/authorize`, { headers: { 'x-api-key': key } })).status;

/** Somebody changes something all the while; how long each change takes in milliseconds, sorted. */
async function write(service: ServiceProcess, isOver: () => boolean): Promise<number[]> {
  const headers = {
    authorization: `Bearer ${await service.token('alice')}`,
    'content-type': 'application/json',
  };
  const path = `${service.url}/api/v1/automation/settings`;
  const times: number[] = [];
  while (!isOver()) {
    const start = performance.now();
    const { status } = await fetch(path, { method: 'PUT', headers, body: '{"is_enabled": true}' });
    expect(status).toBe(200);
    times.push(performance.now() - start);
    await delay(20);
  }
  return times.toSorted((one, other) => one - other);
}

const sampleOf = (count: number) =>
  Array.from({ length: count }, (_, index) => Math.floor((index * keys) / count));

it.each(['SQLite', 'PostgreSQL'])(
  'keys are imported beside the running service, killed in the middle and run again: %s',
  { timeout: 3_600_000 },
  async (kind) => {
    await using folder = await createTemporaryFolder();
    const ofPostgres = kind === 'SQLite' ? undefined : await createOnServer(inject('postgresUrl') ?? '');
    const env = {
      ...secretVariables(),
      DATA_DIR: join(folder.path, 'data'),
      ...(ofPostgres && { DATABASE_URL: ofPostgres, DATABASE_MIGRATE: 'auto' }),
    };
    await using service = await startProcess(
      folder.path,
      { ...env, LOG_LEVEL: 'silent', ...unlimited },
      30_000,
    );
    const query = ofPostgres ? queryServer(ofPostgres) : queryFile(service.databaseFile);
    const count = async (table: string) =>
      Number((await query(`select count(*) as n from ${table}`))[0]?.['n']);
    // Those of the development's own people.
    const seeded = await count('api_key');

    let isOver = false;
    const writing = write(service, () => isOver);
    // Where something else fails first, that is told.
    writing.catch(() => {});
    {
      await using first = startTransfer('import', ['-'], { cwd: folder.path, env, lines: lines() });
      while ((await count('api_key')) < keys / 10) await delay(50);
      await first.kill();
    }
    const before = (await count('api_key')) - seeded;
    expect(await count('api_key_secret where is_imported')).toBe(before);
    const ended = await runTransfer('import', ['-'], { cwd: folder.path, env, lines: lines() });
    expect(ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining('line ') });
    expect(ended.stdout).toBe(`imported: ${keys - before}, here already: ${before}, refused: 0\n`);
    expect(await count('api_key')).toBe(seeded + keys);
    isOver = true;
    const times = await writing;

    // A node learns of it within some seconds.
    while ((await authorize(service, keyOf(0))) !== 200) await delay(100);
    for (const index of sampleOf(500)) {
      expect(await authorize(service, keyOf(index))).toBe(200);
      expect(await authorize(service, keyOf(keys + index))).toBe(401);
    }
    const file = join(folder.path, 'keys.jsonl');
    const exported = await runTransfer('export', [file], { cwd: folder.path, env });
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    report(`import, ${kind}`, {
      keys: keys - before,
      seconds: Math.round(ended.seconds),
      megabytes: ended.peak,
      known: before,
      writes: times.length,
      medianWrite: Math.round(times[times.length >> 1] ?? 0),
      p99Write: Math.round(times[Math.floor(times.length * 0.99)] ?? 0),
      slowestWrite: Math.round(times.at(-1) ?? 0),
      exportSeconds: Math.round(exported.seconds * 10) / 10,
      exportMegabytes: exported.peak,
      exportBytes: (await stat(file)).size,
    });
    for (const { peak } of [ended, exported]) expect(peak).toBeLessThan(300);
  },
);
