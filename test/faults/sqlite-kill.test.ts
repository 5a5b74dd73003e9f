import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { databaseConfig, writerOf } from '../support/database.ts';
import {
  acknowledged,
  audit,
  halfDone,
  phantoms,
  report,
  rounds,
  send,
  signIn,
  startLoad,
} from '../support/ledger.ts';
import { createTemporaryFolder, startProcess, unlimited } from '../support/process.ts';
import { createSqliteFile } from '../support/sqlite-service.ts';

/** So many that their writes share commits. */
const people = 24;

/** A machine that does other things as well makes one of hundreds of starts slow; that is in the figures. */
const patience = 30_000;

it('loses no acknowledged write when it is killed, and starts again', async () => {
  const count = rounds(200, 10);
  await using folder = await createTemporaryFolder();
  const file = join(folder.path, 'data', 'keyward.db');
  const { port, query, writers } = await createSqliteFile(file, { people, keysEach: count * 4 });
  const env = { PORT: `${port}`, LOG_LEVEL: 'error', ...unlimited };
  const outages: number[] = [];
  const lost: string[] = [];
  const unexpected: string[] = [];
  const halves: string[] = [];
  await using services = new AsyncDisposableStack();
  let service = services.use(await startProcess(folder.path, env, patience));

  for (let round = 0; round < count; round += 1) {
    await signIn(service, writers);
    const load = startLoad(service.url, writers);
    await load.untilAcknowledged(randomInt(1, 120));
    service.signal('SIGKILL');
    const killedAt = performance.now();
    await Promise.all([load.stop(), service.ended]);
    service = services.use(await startProcess(folder.path, env, patience));
    const token = await service.token('writer-0');
    expect((await send(service.url, { token }, 'PUT', '/automation/settings', {}))?.status).toBe(200);
    outages.push(Math.round(performance.now() - killedAt));
    lost.push(...(await audit(writers, query)));
    unexpected.push(...load.unexpected);
    halves.push(...(await halfDone(writers, query)));
    expect(await query('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    expect(await query('pragma foreign_key_check')).toEqual([]);
  }

  const [median] = outages.sort((a, b) => a - b).slice(count >> 1);
  report('kill -9 on SQLite', {
    rounds: count,
    acknowledged: acknowledged(writers),
    lost: lost.length,
    'half done': halves.length,
    'outage in ms': median,
    'longest outage in ms': Math.max(...outages),
  });
  expect(lost).toEqual([]);
  expect(halves).toEqual([]);
  expect(unexpected).toEqual([]);
  expect(await phantoms(writers, query)).toEqual([]);
}, 1_800_000);

it('writes ahead, and syncs at each commit', async () => {
  await using folder = await createTemporaryFolder();
  const file = join(folder.path, 'keyward.db');
  await using database = await openDatabase(databaseConfig(`sqlite:${file}`));
  const pragma = (name: string) => writerOf(database).pragma(name, { simple: true });
  expect(pragma('journal_mode')).toBe('wal');
  // 2 is FULL.
  expect(pragma('synchronous')).toBe(2);
  expect(pragma('foreign_keys')).toBe(1);
});
