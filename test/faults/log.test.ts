import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { report, rounds } from '../support/ledger.ts';
import { createTemporaryFolder, freePort, startWithLog, unlimited } from '../support/process.ts';
import { scrape } from '../support/scrape.ts';
import { canMount, limitFileSize, mountTinyDisk } from '../support/tiny-disk.ts';

type Service = Awaited<ReturnType<typeof startWithLog>>;

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let metricsPort: number;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  metricsPort = await freePort();
});
afterEach(() => folder[Symbol.asyncDispose]());

const start = (log: number) =>
  startWithLog(folder.path, log, {
    DATABASE_URL: 'sqlite::memory:',
    METRICS_PORT: `${metricsPort}`,
    ...unlimited,
  });

const dropped = async () => (await scrape(metricsPort)).sum('keyward_log_lines_dropped_total');

/** A request whose line in the log is as long as one may be. */
const request = (id: number | string) =>
  `GET /api/v1/auth/private-key HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Request-Id: ${`${id}`.padStart(64, '0')}\r\n\r\n`;

/** Sends requests over a connection, one right behind the other, and waits until all are answered. */
async function send(service: Service, ids: readonly (number | string)[]): Promise<void> {
  const socket = connect(service.port, '127.0.0.1').setEncoding('utf8');
  socket.write(ids.map(request).join(''));
  let answered = 0;
  for await (const text of socket) {
    answered += (text as string).match(/HTTP\/1\.1 401 /g)?.length ?? 0;
    if (answered === ids.length) return;
  }
  throw new Error(`${answered} of ${ids.length} requests were answered`);
}

/** Sends requests until so many lines were dropped; all must be answered, and health at its usual pace. */
async function sendUntilDropped(service: Service, lines: number) {
  let sent = 0;
  let slowestHealth = 0;
  while ((await dropped()) < lines) {
    await send(
      service,
      Array.from({ length: 500 }, (_, at) => sent + at),
    );
    sent += 500;
    const askedAt = performance.now();
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
    slowestHealth = Math.max(slowestHealth, performance.now() - askedAt);
  }
  return { sent, slowestHealth: Math.round(slowestHealth) };
}

const lines = rounds(50_000, 500);

async function expectGoodEnd(service: Service): Promise<number> {
  const signalledAt = performance.now();
  service.signal('SIGTERM');
  expect(await service.ended).toEqual({ code: 0, signal: null });
  const milliseconds = Math.round(performance.now() - signalledAt);
  return milliseconds;
}

it('answers and stops while its log cannot be written', async () => {
  const log = openSync('/dev/full', 'w');
  await using service = await start(log);
  closeSync(log);
  const figures = await sendUntilDropped(service, lines);
  report('log on a full device', { ...figures, 'gone after ms': await expectGoodEnd(service) });
});

/** Sends until lines are lost, ends the fault, and looks at what the log says of it. */
async function outlive(file: string, begin: (service: Service) => void, end: (service: Service) => void) {
  const log = openSync(file, 'a');
  await using service = await start(log);
  closeSync(log);
  await send(service, ['before']);
  begin(service);
  const figures = await sendUntilDropped(service, lines);
  end(service);
  const read = () => readFileSync(file, 'utf8').trimEnd().split('\n');
  await expect.poll(() => read().at(-1)).toContain('could not write the log: lines were lost');
  await send(service, ['after']);
  const counted = await dropped();
  const milliseconds = await expectGoodEnd(service);
  // Each line is whole, and each that is not there was counted.
  const written = read().map((line) => JSON.parse(line));
  const requests = written.filter(({ msg }) => msg === 'request');
  expect(written.filter(({ level }) => level === 40)).toEqual([
    expect.objectContaining({ dropped: counted }),
  ]);
  expect(requests.length + counted).toBe(figures.sent + 2);
  expect(requests.at(-1)).toMatchObject({ requestId: expect.stringMatching(/^0+after$/) });
  report('log on a full disk', { ...figures, dropped: counted, 'gone after ms': milliseconds });
}

it('drops and counts lines while the log cannot grow, and recovers on its own', async () => {
  const file = join(folder.path, 'log');
  await outlive(
    file,
    ({ pid }) => limitFileSize(pid, statSync(file).size + 1000),
    ({ pid }) => limitFileSize(pid, 'unlimited'),
  );
});

if (canMount()) {
  it('does so on a full disk', async () => {
    const disk = mountTinyDisk(folder.path);
    try {
      await outlive(join(folder.path, 'log'), disk.fill, disk.free);
    } finally {
      disk[Symbol.dispose]();
    }
  });
}

/** A pipe whose reader may stop. */
function openPipe(path: string) {
  const { status } = spawnSync('mkfifo', [path]);
  expect(status).toBe(0);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, 'w');
  const buffer = Buffer.alloc(1024 * 1024);
  /** All that can be read now. */
  const read = (): string => {
    try {
      return buffer.toString('utf8', 0, readSync(reader, buffer));
    } catch {
      return '';
    }
  };
  return { writer, read, [Symbol.dispose]: () => closeSync(reader) };
}

it("answers and stops while nobody reads its log's pipe", async () => {
  using pipe = openPipe(join(folder.path, 'pipe'));
  await using service = await start(pipe.writer);
  closeSync(pipe.writer);
  const figures = await sendUntilDropped(service, lines);
  const milliseconds = await expectGoodEnd(service);
  report('log in a pipe that nobody reads', { ...figures, 'gone after ms': milliseconds });
});

it('logs again once the pipe is read', async () => {
  using pipe = openPipe(join(folder.path, 'pipe'));
  await using service = await start(pipe.writer);
  closeSync(pipe.writer);
  const { sent } = await sendUntilDropped(service, 500);
  let text = '';
  while (!text.includes('lines were lost')) {
    text += pipe.read();
    await delay(1);
  }
  const counted = await dropped();
  expect(text).toContain(`"dropped":${counted},"msg":"could not write the log: lines were lost"`);
  expect(text.match(/"msg":"request"/g)?.length).toBe(sent - counted);
  await expectGoodEnd(service);
});
