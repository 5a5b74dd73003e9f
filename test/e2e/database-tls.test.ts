import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTemporaryFolder, freePort, runCommand, runService } from '../support/process.ts';
import { canRun } from '../support/programs.ts';

/**
 * Starts what answers as PostgreSQL does until TLS is agreed on (https://www.postgresql.org/docs/current/protocol-flow.html).
 * @param certificate the server's certificate and key; undefined: it does not speak TLS
 */
async function startServer(certificate?: { readonly cert: string; readonly key: string }) {
  const port = await freePort();
  const server: Server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(certificate ? 'S' : 'N');
      if (certificate) new TLSSocket(socket, { isServer: true, ...certificate }).on('error', () => {});
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { port, [Symbol.dispose]: () => void server.close() };
}

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
/** A certificate that signs itself, for `db.example.com`. */
let certificate: { readonly cert: string; readonly key: string };
beforeAll(async () => {
  folder = await createTemporaryFolder();
  const made = await runCommand(
    [
      ...['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-keyout', 'key.pem', '-out', 'cert.pem', '-days', '2', '-subj', '/CN=db.example.com'],
      ...['-addext', 'subjectAltName=DNS:db.example.com'],
    ],
    { cwd: folder.path, env: {} },
  );
  expect(made.code).toBe(0);
  const read = (name: string) => readFileSync(join(folder.path, name), 'utf8');
  certificate = { cert: read('cert.pem'), key: read('key.pem') };
});
afterAll(() => folder[Symbol.asyncDispose]());

const start = (port: number, parameters: string) =>
  runService(folder.path, {
    PORT: '0',
    DATABASE_URL: `postgres://keyward:c4n4ry@127.0.0.1:${port}/keyward?${parameters}`,
  });

describe.skipIf(!canRun('openssl', 'no server of PostgreSQL has TLS', ['version']))(
  'a PostgreSQL with unsuitable TLS',
  () => {
    it.each([
      ['sslmode=verify-full', 'whose certificate no known authority has signed: .* sslrootcert'],
      ['sslmode=require', 'whose certificate no known authority has signed: .* sslrootcert'],
      ['sslmode=verify-full&sslrootcert=cert.pem', 'whose certificate is for another host'],
    ])('is told of in one sentence: %s', async (parameters, fault) => {
      using server = await startServer(certificate);
      const url = parameters.replace('cert.pem', join(folder.path, 'cert.pem'));
      const ended = await start(server.port, url);
      expect(ended).toMatchObject({ code: 1, stdout: '' });
      expect(ended.stderr).toMatch(
        new RegExp(
          `^Keyward cannot start with this configuration:\\n  DATABASE_URL names a server ${fault}.*\\n$`,
        ),
      );
      expect(ended.stderr).not.toContain('c4n4ry');
    });

    it('is reported in one sentence: no TLS at all', async () => {
      using server = await startServer();
      const ended = await start(server.port, 'sslmode=verify-full');
      expect(ended).toMatchObject({ code: 1, stdout: '' });
      expect(ended.stderr).toMatch(
        /a server that does not speak TLS: turn it on there, or use sslmode=disable/,
      );
    });
  },
);
