import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createTemporaryFolder,
  openConnection,
  root,
  startInTerminal,
  startProcess,
  untilRefused,
} from '../support/process.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
beforeAll(async () => {
  folder = await createTemporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const body = '{"key": "none"}';

/** A request in flight: all of it is sent but its body. */
async function begin(service: { readonly port: number }) {
  const connection = await openConnection(service);
  connection.write(
    'POST /api/v1/keys/verify HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n' +
      `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  await connection.until('100 Continue');
  return connection;
}

it('SIGHUP stops it like SIGTERM: the request in flight is answered', async () => {
  await using service = await startProcess(folder.path);
  using connection = await begin(service);
  service.signal('SIGHUP');
  await untilRefused(service);
  connection.write(body);
  expect(await connection.until('Not authenticated')).toContain('HTTP/1.1 401');
  expect(await service.ended).toMatchObject({ code: 0, stderr: '' });
});

it('closing the terminal stops it the same way, although its log cannot be written', async () => {
  await using own = await createTemporaryFolder();
  await using terminal = await startInTerminal(own.path);
  using connection = await begin(terminal);
  await terminal[Symbol.asyncDispose]();
  await untilRefused(terminal);
  connection.write(body);
  expect(await connection.until('Not authenticated')).toContain('HTTP/1.1 401');
});

it('SIGTERM to npm alone stops it', async () => {
  await using service = await startProcess(folder.path, {}, 20_000, ['npm', '--prefix', root, 'start']);
  using connection = await begin(service);
  service.signal('SIGTERM');
  await untilRefused(service);
  connection.write(body);
  expect(await connection.until('Not authenticated')).toContain('HTTP/1.1 401');
  expect(await service.ended).toMatchObject({ code: 0 });
});
