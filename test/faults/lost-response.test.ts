import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { createOnServer } from '../support/database.ts';
import { audit, phantoms, type Query, report, rounds, send, signIn, type Writer } from '../support/ledger.ts';
import { fillDatabase } from '../support/postgres-service.ts';
import { createTemporaryFolder, type ServiceProcess, startProcess, unlimited } from '../support/process.ts';
import { createSqliteFile } from '../support/sqlite-service.ts';

let stack: AsyncDisposableStack;
let service: ServiceProcess;
let query: Query;
let writer: Writer;

async function start(database: string, keysEach: number): Promise<void> {
  const folder = stack.use(await createTemporaryFolder());
  const people = { people: 1, keysEach };
  const url = database === 'PostgreSQL' ? await createOnServer(inject('postgresUrl') ?? '') : undefined;
  const filled = await (url
    ? fillDatabase(url, people)
    : createSqliteFile(join(folder.path, 'data', 'keyward.db'), people));
  const env = { PORT: `${filled.port}`, ...unlimited, ...(url && { DATABASE_URL: url }) };
  service = stack.use(await startProcess(folder.path, env));
  ({ query } = filled);
  await signIn(service, filled.writers);
  writer = filled.writers[0] as Writer;
}
beforeEach(() => {
  stack = new AsyncDisposableStack();
});
afterEach(() => stack.disposeAsync());

/** Sends a request, reads nothing of the answer, and cuts the connection when something has come to pass. */
async function sendAndCut(method: string, path: string, body: string, until: () => Promise<unknown>) {
  const socket = connect(service.port, '127.0.0.1').pause();
  await once(socket, 'connect');
  socket.write(
    `${method} /api/v1${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${writer.token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await until();
  socket.destroy();
  await once(socket, 'close');
}

const stored = async (sql: string) => (await query(sql)).length > 0;

/** Resolves when the database has what is asked for: from then on the write is committed. */
const untilStored = (sql: string) => async () => {
  while (!(await stored(sql)));
};

/** The log comes by a pipe, a little after the answer that it tells of. */
const expectHappened = (event: string, times: number) =>
  expect.poll(() => service.output.stdout.split(`"event":"${event}"`).length - 1).toBe(times);

describe.each(['SQLite', 'PostgreSQL'])('on %s, a retry after a lost response', (database) => {
  it('deactivates nothing twice, and gets the first response', async () => {
    const count = rounds(200, 10);
    await start(database, count);
    for (const id of [...writer.keys]) {
      const path = `/auth/keys/${id}`;
      await sendAndCut(
        'DELETE',
        path,
        '',
        untilStored(`select 1 from api_key where id = ${id} and not is_active`),
      );
      const retried = await send(service.url, writer, 'DELETE', path);
      expect([retried?.status, await retried?.json()]).toMatchObject([200, { id, is_active: false }]);
    }
    await expectHappened('api-key-deactivated', count);
    report(`answers lost after a DELETE on ${database}`, { rounds: count, 'changes of state': count });
  });

  it('leaves the same settings', async () => {
    const count = rounds(200, 10);
    await start(database, 0);
    for (let duration = 60; duration < 60 + count; duration += 1) {
      const body = JSON.stringify({ session_duration: duration });
      const written = `select 1 from automation_settings where session_duration = ${duration}`;
      await sendAndCut('PUT', '/automation/settings', body, untilStored(written));
      const [first] = await query('select id, created_at from automation_settings');
      const retried = await send(service.url, writer, 'PUT', '/automation/settings', JSON.parse(body));
      expect([retried?.status, await retried?.json()]).toMatchObject([200, { session_duration: duration }]);
      expect(await query('select id, created_at from automation_settings')).toEqual([first]);
    }
    report(`answers lost after a PUT on ${database}`, { rounds: count, rows: 1 });
  });

  it('is safe wherever the connection was cut', async () => {
    const count = rounds(200, 10);
    await start(database, count);
    for (const id of [...writer.keys]) {
      // Between the request and its answer: after so many turns of the event loop.
      const turns = id % 20;
      await sendAndCut('DELETE', `/auth/keys/${id}`, '', async () => {
        for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
      });
      writer.deactivated.sent.add(id);
      const retried = await send(service.url, writer, 'DELETE', `/auth/keys/${id}`);
      expect(retried?.status).toBe(200);
      writer.deactivated.acknowledged.add(id);
    }
    expect(await audit([writer], query)).toEqual([]);
    expect(await phantoms([writer], query)).toEqual([]);
    await expectHappened('api-key-deactivated', count);
  });
});
