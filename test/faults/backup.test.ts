import { stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import {
  acknowledged,
  audit,
  phantoms,
  report,
  rounds,
  send,
  signIn,
  startLoad,
  type Writer,
} from '../support/ledger.ts';
import { createTemporaryFolder, runScript, startProcess, unlimited } from '../support/process.ts';
import { createSqliteFile, queryFile } from '../support/sqlite-service.ts';

const backUp = (file: string, target: string) =>
  runScript('dist/server/backup.js', [target], {
    cwd: dirname(target),
    env: { DATABASE_URL: `sqlite:${file}` },
  });

/** What the ledger says now, whatever is written later. */
const copyOf = (writers: readonly Writer[]): Writer[] =>
  writers.map((writer) => ({
    ...writer,
    settings: { ...writer.settings },
    deactivated: {
      sent: new Set(writer.deactivated.sent),
      acknowledged: new Set(writer.deactivated.acknowledged),
    },
  }));

/** What may be in a copy that was begun at the one time and finished at the other. */
const between = (begun: readonly Writer[], finished: readonly Writer[]): Writer[] =>
  begun.map((writer, index) => {
    const { settings, deactivated } = finished[index] ?? writer;
    return {
      ...writer,
      settings: { ...writer.settings, sent: settings.sent },
      deactivated: { ...writer.deactivated, sent: new Set(deactivated.sent) },
    };
  });

it('copies the database under load, and the restored copy is consistent', async () => {
  const count = rounds(20, 3);
  await using folder = await createTemporaryFolder();
  const file = join(folder.path, 'data', 'keyward.db');
  // Many more pages than are written between two writes.
  const { port, query, writers } = await createSqliteFile(file, {
    people: 6,
    keysEach: 200,
    ballast: 8_000,
  });
  const env = { PORT: `${port}`, LOG_LEVEL: 'silent', ...unlimited };
  const expected: { target: string; writers: Writer[] }[] = [];
  {
    await using service = await startProcess(folder.path, env);
    await signIn(service, writers);
    const load = startLoad(service.url, writers);
    for (let round = 0; round < count; round += 1) {
      await load.untilAcknowledged(20);
      const begun = copyOf(writers);
      const target = join(folder.path, `copy-${round}.db`);
      const { code, stdout, stderr } = await backUp(file, target);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(target);
      expected.push({ target, writers: between(begun, copyOf(writers)) });
    }
    // It wrote on meanwhile.
    await load.untilAllAcknowledged();
    await load.stop();
    expect(load.unexpected).toEqual([]);
    expect(load.statuses.get(503)).toBeUndefined();
  }

  const lost: string[] = [];
  for (const { target, writers: known } of expected) {
    lost.push(...(await audit(known, queryFile(target))));
    expect(await phantoms(known, queryFile(target))).toEqual([]);
    expect(await queryFile(target)('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    expect(((await stat(target)).mode & 0o777).toString(8)).toBe('600');
  }
  report('backups of SQLite under load', {
    rounds: count,
    acknowledged: acknowledged(writers),
    'missing from a copy': lost.length,
    megabytes: Math.round((await stat(file)).size / 1e6),
  });
  expect(lost).toEqual([]);
  expect(await audit(writers, query)).toEqual([]);

  const last = expected.at(-1);
  await using restored = await startProcess(folder.path, { ...env, DATABASE_URL: `sqlite:${last?.target}` });
  await signIn(restored, writers);
  for (const [index, writer] of writers.entries()) {
    const known = last?.writers[index]?.settings;
    const response = await send(restored.url, writer, 'PUT', '/automation/settings', {});
    const answer: unknown = await response?.json();
    const { session_duration: duration } = answer as { session_duration: number };
    expect(duration).toBeGreaterThanOrEqual(Number(known?.acknowledged));
    expect(duration).toBeLessThanOrEqual(Number(known?.sent));
  }
});

it('overwrites nothing', async () => {
  await using folder = await createTemporaryFolder();
  const file = join(folder.path, 'keyward.db');
  await createSqliteFile(file, { people: 1, keysEach: 1 });
  const target = join(folder.path, 'copy.db');
  await writeFile(target, 'precious');
  const { code, stdout, stderr } = await backUp(file, target);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe(`${target} exists already.\n`);
  expect((await stat(target)).size).toBe('precious'.length);
});
