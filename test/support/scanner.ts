import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listen, stop } from '../../src/http/server.ts';

/** A key that a scanner signs by. */
export interface SigningKey {
  readonly identifier: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** A new key. */
export const createSigningKey = (identifier: string, namedCurve = 'P-256'): SigningKey => ({
  identifier,
  ...generateKeyPairSync('ec', { namedCurve }),
});

const pemOf = ({ publicKey }: SigningKey): string => `${publicKey.export({ type: 'spki', format: 'pem' })}`;

/** Keys as GitHub publishes them. */
export const publishedKeys = (keys: readonly SigningKey[]) => ({
  public_keys: keys.map((key, at) => ({
    key_identifier: key.identifier,
    key: pemOf(key),
    is_current: at === keys.length - 1,
  })),
});

/** What a report carries beside its body. */
export const signatureHeaders = (body: string | Uint8Array, { identifier, privateKey }: SigningKey) => ({
  'github-public-key-identifier': identifier,
  'github-public-key-signature': sign('sha256', Buffer.from(body), privateKey).toString('base64'),
});

/** Something that was found, as GitHub reports it. */
export const matchOf = (token: string, url = 'https://github.com/octocat/Hello-World/blob/main/a.txt') => ({
  ...{ token, type: 'keyward_api_key', url },
  source: 'content',
});

/** What a scanner has; a test may change it. */
interface State {
  keys: [SigningKey, ...SigningKey[]];
  /** How often it was asked for its keys. */
  reads: number;
  answer: RequestListener;
}

/** A scanner that publishes its keys over HTTP and signs reports. */
export async function startScanner() {
  const publish: RequestListener = (_request, response) =>
    response.end(JSON.stringify(publishedKeys(scanner.keys)));
  const scanner: State = { keys: [createSigningKey('first')], reads: 0, answer: publish };
  const server = createServer((request, response) => {
    scanner.reads += 1;
    scanner.answer(request, response);
  });
  await listen(server, 0, '127.0.0.1');
  const { port } = server.address() as AddressInfo;
  return Object.assign(scanner, {
    url: `http://127.0.0.1:${port}/meta/public_keys/secret_scanning`,
    publish,
    /** A report of matches, or of a text as it is, signed by its first key unless told otherwise. */
    report: (matches: unknown, key = scanner.keys[0]) => {
      const body = typeof matches === 'string' ? matches : JSON.stringify(matches);
      const headers = { 'content-type': 'application/json', ...signatureHeaders(body, key) };
      return { body, headers: headers as Record<string, string> };
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await stop(server);
    },
  });
}

/** A running scanner. */
export type Scanner = Awaited<ReturnType<typeof startScanner>>;
