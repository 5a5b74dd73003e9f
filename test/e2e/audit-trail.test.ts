import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  createTemporaryFolder,
  freePort,
  root,
  runCommand,
  type ServiceProcess,
  startProcess,
} from '../support/process.ts';
import { canRun } from '../support/programs.ts';
import { createServer } from '../support/servers.ts';
import { queryFile } from '../support/sqlite-service.ts';

/** The script of the documentation that adds the new events to a file. */
const script = (): string => {
  const [, section = ''] = readFileSync(join(root, 'docs/operators.md'), 'utf8').split(
    '\n## The audit trail\n',
  );
  return /```sh\n(.*?)```/s.exec(section)?.[1] ?? '';
};

const collector = createServer('siem', 'keyward.audit');

const opened = new AsyncDisposableStack();
let service: ServiceProcess;
beforeAll(async () => {
  const folder = opened.use(await createTemporaryFolder());
  const credential = `siem:keyward.audit:sha256-${Buffer.from(collector.digest).toString('base64url')}`;
  service = opened.use(await startProcess(folder.path, { ADMIN: 'on', SERVER_CREDENTIALS: credential }));
});
afterAll(() => opened.disposeAsync());

/** Where the script runs. */
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
beforeEach(async () => {
  folder = opened.use(await createTemporaryFolder());
  await writeFile(join(folder.path, 'authorization'), `Authorization: Bearer ${collector.secret}\n`);
});

const read = (name: string) => readFileSync(join(folder.path, name), 'utf8');

const run = (url = service.url) =>
  runCommand(['sh', '-c', script()], { cwd: folder.path, env: { KEYWARD: url } });

/** Makes some changes, each of which is an event. */
async function change(count: number): Promise<void> {
  const headers = {
    authorization: `Bearer ${await service.token('alice')}`,
    'content-type': 'application/json',
  };
  for (let length = 0; length < count; length += 1) {
    const body = JSON.stringify({ session_duration: 60 + ((length * 7919 + count) % 10_000) });
    const response = await fetch(`${service.url}/api/v1/automation/settings`, {
      method: 'PUT',
      headers,
      body,
    });
    expect(response.status).toBe(200);
  }
}

const idsOf = (text: string): number[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).id);

const runs = canRun('curl', 'the documented script is not run');

it.runIf(runs)('the documented script adds each event once, and goes on where it was', async () => {
  const kept = async () => {
    expect(await run()).toMatchObject({ code: 0, stderr: '' });
    const stored = await queryFile(service.databaseFile)('select id from audit_event order by id');
    expect(idsOf(read('audit-events.ndjson'))).toEqual(stored.map(({ id }) => id));
    return stored.length;
  };
  await change(130);
  const first = await kept();
  expect(first).toBe(130);
  // Nothing is new.
  expect(await kept()).toBe(first);
  await change(2);
  expect(await kept()).toBe(first + 2);
});

it.runIf(runs)(
  'the documented script keeps nothing of a response that was cut off, and says so',
  async () => {
    await change(1);
    expect((await run()).code).toBe(0);
    const before = [read('audit-events.ndjson'), read('next')];
    for (const end of ['', '{"id":9}\n', '{"id":9}\n{"cur', '{"cursor":null}\n']) {
      await using stack = new AsyncDisposableStack();
      const port = await freePort();
      const server = createHttpServer((_request, response) => response.end(end)).listen(port, '127.0.0.1');
      stack.defer(() => void server.close());
      expect((await run(`http://127.0.0.1:${port}`)).code).not.toBe(0);
      expect([read('audit-events.ndjson'), read('next')]).toEqual(before);
    }
    // A port at which nobody answers.
    const away = await run(`http://127.0.0.1:${await freePort()}`);
    expect([away.code, away.stderr]).not.toEqual([0, '']);
    expect((await run()).code).toBe(0);
    expect(idsOf(read('audit-events.ndjson'))).toEqual([...new Set(idsOf(read('audit-events.ndjson')))]);
  },
);
