import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createOnServer, databaseConfig } from '../support/database.ts';
import { startIssuer } from '../support/issuer.ts';
import { report } from '../support/ledger.ts';
import { createTemporaryFolder, runCommand, startProcess, unlimited } from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';

const events = 1_000_000;
const accounts = 10_000;

/** By how much a process may grow while it streams, in kilobytes. */
const mostGrowth = 80 * 1024;

const numbers = (most: number) =>
  `with recursive row (n) as (select 1 union all select n + 1 from row where n < ${most})`;

/** Puts accounts with many audit events into an empty database. */
async function fill(url: string): Promise<void> {
  const config = databaseConfig(url);
  await using database = await openDatabase({
    ...config,
    timeouts: { ...config.timeouts, statement: 600_000 },
  });
  await migrate(database, config);
  const connection = database.em.getConnection();
  const isSqlite = url.startsWith('sqlite');
  const now = isSqlite ? '1798700000000 + n' : "timestamptz '2026-12-01' + n * interval '1 second'";
  await connection.execute(`${numbers(accounts)}
    insert into account (issuer, subject, created_at) select 'https://id.example.com', 'user-' || n, ${now} from row`);
  if (!isSqlite) await connection.execute('alter table audit_event disable trigger user');
  const id = isSqlite ? '' : "nextval('audit_event_id_seq'),";
  await connection.execute(`${numbers(events)}
    insert into audit_event (${isSqlite ? '' : 'id,'} account_id, actor, action, target, request, address, details, created_at)
    select ${id} 1 + n % ${accounts}, case when n % 1000 = 0 then 'operator' end,
      case n % 3 when 0 then 'api-key-created' when 1 then 'api-key-deactivated' else 'automation-settings-updated' end,
      case when n % 3 < 2 then n % 100000 end, '1b4e28ba-2fa1-41d2-883f-0016d3cca427', '192.0.2.1',
      '[{"field":"name","from":"Laptop","to":"Build server"}]', ${now} from row`);
  if (!isSqlite) {
    await connection.execute('alter table audit_event enable trigger user');
    await connection.execute('analyze');
  }
}

/** A figure of a process's memory, in kilobytes: what it has (`VmRSS`) or has had at the most (`VmHWM`). */
async function memoryOf(pid: number, name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
}

/** What others wait for meanwhile, at the worst of a hundred requests, in milliseconds. */
function startOthers(url: string, token: string) {
  const times: number[] = [];
  let isRunning = true;
  const ask = async () => {
    while (isRunning) {
      const startedAt = performance.now();
      const response = await fetch(`${url}/api/v1/automation/settings`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ session_duration: 60 + (times.length % 1000) }),
      });
      expect(response.status).toBe(200);
      await response.text();
      times.push(performance.now() - startedAt);
      await delay(10);
    }
  };
  const done = Promise.all(Array.from({ length: 8 }, ask));
  return async () => {
    isRunning = false;
    await done;
    const sorted = times.toSorted((one, other) => one - other);
    return Math.round((sorted[Math.floor(sorted.length * 0.99)] ?? 0) * 10) / 10;
  };
}

it.each(['SQLite', 'PostgreSQL'])(
  'a million events are streamed in little memory: %s',
  async (sort) => {
    await using opened = new AsyncDisposableStack();
    const folder = opened.use(await createTemporaryFolder());
    const issuer = opened.use(await startIssuer());
    const url =
      sort === 'SQLite'
        ? `sqlite:${join(folder.path, 'keyward.db')}`
        : await createOnServer(inject('postgresUrl') ?? '');
    await fill(url);
    const service = opened.use(
      await startProcess(folder.path, {
        NODE_ENV: 'production',
        ...secretVariables(),
        AUTH_ISSUER: issuer.config.issuer,
        AUTH_AUDIENCE: 'keyward',
        DATABASE_URL: url,
        ADMIN: 'on',
        LOG_LEVEL: 'error',
        ...unlimited,
      }),
    );
    const token = await issuer.sign({ sub: 'auditor', scope: 'keyward.audit' });
    const headers = { authorization: `Bearer ${token}` };
    const first: Record<string, number> = {};
    for (const query of [
      '',
      '?order=oldest',
      '?action=api-key-deactivated',
      '?action=api-key-created,api-key-leaked,account-erased',
      '?action=account-erased',
      '?actor=operator',
      '?actor=operator&action=account-erased',
      '?actor=self',
      '?user_id=77',
      '?user_id=77&action=api-key-created',
      '?key_id=5',
      '?key_id=5&actor=operator',
      '?from=2026-12-05T00:00:00Z&to=2026-12-05T01:00:00Z',
      '?from=2026-12-05T00:00:00Z&to=2026-12-05T01:00:00Z&actor=operator',
      '?from=2030-12-05T00:00:00Z',
    ]) {
      let best = Number.POSITIVE_INFINITY;
      for (let turn = 0; turn < 4; turn += 1) {
        const startedAt = performance.now();
        const response = await fetch(`${service.url}/api/v1/admin/audit-events${query}`, { headers });
        expect(response.status).toBe(200);
        await response.text();
        best = Math.min(best, performance.now() - startedAt);
      }
      first[query] = Math.round(best * 10) / 10;
    }

    const another = await issuer.sign({ sub: 'another' });
    // Under ordinary load, a process first grows to its size.
    const warm = startOthers(service.url, another);
    await delay(40_000);
    await warm();
    const alone = startOthers(service.url, another);
    await delay(5000);
    const p99Alone = await alone();

    const before = await memoryOf(service.pid, 'VmRSS');
    const beside = startOthers(service.url, another);
    const startedAt = performance.now();
    const file = join(folder.path, 'audit-events.ndjson');
    // A process of its own reads, so that whoever measures does nothing else.
    const curl = [
      'curl',
      '--silent',
      '--fail',
      '--output',
      file,
      '--header',
      `authorization: Bearer ${token}`,
    ];
    const accept = ['--header', 'accept: application/x-ndjson', `${service.url}/api/v1/admin/audit-events`];
    expect(
      await runCommand([...curl, ...accept], { cwd: folder.path, env: {}, timeout: 600_000 }),
    ).toMatchObject({ code: 0 });
    const seconds = (performance.now() - startedAt) / 1000;
    const p99Beside = await beside();
    const growth = (await memoryOf(service.pid, 'VmHWM')) - before;
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const end = JSON.parse(lines.pop() ?? '');
    const ids = lines.map((line) => Number(/^{"id":(\d+),/.exec(line)?.[1]));
    const count = ids.length;
    report(`a trail of a million events on ${sort}`, {
      'first pages, in ms': first,
      events: count,
      'events a second': Math.round(count / seconds),
      'growth in kB': growth,
      'p99 alone': p99Alone,
      'p99 beside it': p99Beside,
    });
    expect(count).toBeGreaterThanOrEqual(events);
    expect(ids.every((id, index) => index === 0 || id > Number(ids[index - 1]))).toBe(true);
    expect(end).toEqual({ cursor: Buffer.from(`${ids.at(-1)}`).toString('base64url') });
    expect(growth).toBeLessThan(mostGrowth);
  },
  900_000,
);
