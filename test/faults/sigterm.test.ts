import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { createOnServer } from '../support/database.ts';
import { acknowledged, report, rounds, signIn, startLoad } from '../support/ledger.ts';
import { fillDatabase } from '../support/postgres-service.ts';
import { createTemporaryFolder, startProcess, unlimited } from '../support/process.ts';
import { createSqliteFile } from '../support/sqlite-service.ts';

const size = { people: 24, keysEach: 20 };

it.each(['SQLite', 'PostgreSQL'])(
  'answers every request that got through, and is gone with exit code 0: %s',
  async (database) => {
    const count = rounds(20, 2);
    const times: number[] = [];
    let writes = 0;
    for (let round = 0; round < count; round += 1) {
      await using folder = await createTemporaryFolder();
      const url = database === 'PostgreSQL' ? await createOnServer(inject('postgresUrl') ?? '') : undefined;
      const { port, query, writers } = await (url
        ? fillDatabase(url, size)
        : createSqliteFile(join(folder.path, 'data', 'keyward.db'), size));
      const env = { PORT: `${port}`, LOG_LEVEL: 'silent', ...unlimited, ...(url && { DATABASE_URL: url }) };
      await using service = await startProcess(folder.path, env);
      await signIn(service, writers);
      const load = startLoad(service.url, writers);
      await load.untilAcknowledged(randomInt(50, 200));
      service.signal('SIGTERM');
      const signalledAt = performance.now();
      const { code, stderr } = await service.ended;
      times.push(Math.round(performance.now() - signalledAt));
      await load.stop();
      writes += acknowledged(writers);
      // One that does not stop in time kills itself, and has no exit code.
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(load.unexpected).toEqual([]);
      expect(load.statuses.get(503)).toBeUndefined();
      // What is stored was acknowledged, all of it: no write got through whose answer did not come.
      const rows = await query(
        'select subject, session_duration from account join automation_settings on account_id = account.id order by account.id',
      );
      const settled = writers.filter(({ settings }) => settings.acknowledged >= 60);
      expect(rows).toEqual(
        settled.map(({ subject, settings }) => ({ subject, session_duration: settings.acknowledged })),
      );
      const inactive = await query('select id from api_key where not is_active order by id');
      const answered = writers.flatMap(({ deactivated }) => [...deactivated.acknowledged]);
      expect(inactive.map(({ id }) => id)).toEqual(answered.sort((a, b) => a - b));
    }
    report(`SIGTERM under load on ${database}`, {
      rounds: count,
      acknowledged: writes,
      'carried out and not answered': 0,
      'gone after ms': Math.max(...times),
    });
  },
);
