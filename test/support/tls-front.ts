import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { runCommand } from './process.ts';

/**
 * Starts what takes TLS connections for a service, with a certificate of its own, as a load balancer does.
 * @param folder where the certificate is made
 * @param target the URL of the service
 */
export async function startTlsFront(folder: string, target: string) {
  const options = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', 'front.key', '-out', 'front.pem'];
  const made = await runCommand(['openssl', 'req', '-x509', ...options, ...subject, ...files], {
    cwd: folder,
    env: {},
  });
  if (made.code !== 0) throw new Error(made.stderr);
  const [key, cert] = await Promise.all(
    ['front.key', 'front.pem'].map((name) => readFile(join(folder, name))),
  );
  const server = createServer({ key, cert }, (asked, answer) => {
    const { method, headers, url = '' } = asked;
    const passed = request(new URL(url, target), { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      pipeline(response, answer, () => {});
    });
    passed.on('error', () => answer.destroy());
    pipeline(asked, passed, () => {});
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
