import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { JWTHeaderParameters } from 'jose';
import { type SigningAlgorithm, startIssuer, type TokenClaims } from './issuer.ts';

/** How an issuer answers a request for a document of its own. */
export type Behaviour = (response: ServerResponse) => void;

const json =
  (document: unknown): Behaviour =>
  (response) =>
    void response.setHeader('content-type', 'application/json').end(JSON.stringify(document));

const bomb = gzipSync(`{"keys":[]}${' '.repeat(16 * 1024 * 1024)}`);

/** Ways in which an issuer fails those who rely on it. */
export const misbehaviours = {
  /** Takes the request, and never answers. */
  silent: () => {},
  /** Begins to answer, and never ends. */
  endless: (response) => void response.writeHead(200).write('{"keys":['),
  /** A good answer, of more than 1 MiB. */
  huge: (response) => void response.end(`{"keys":[]${' '.repeat(1024 * 1024)}}`),
  /** A good answer, small on the wire, of 16 MiB. */
  bomb: (response) => void response.setHeader('content-encoding', 'gzip').end(bomb),
  redirecting: (response) => void response.writeHead(302, { location: '/elsewhere' }).end(),
  garbage: (response) => void response.end('<!doctype html><p>Sign in</p>'),
  notJsonAtAll: (response) => void response.end(Buffer.from([0xff, 0xfe, 0x00])),
  anotherShape: json([]),
  failing: (response) => void response.writeHead(500).end('{"keys":[]}'),
  missing: (response) => void response.writeHead(404).end('{}'),
  throttling: (response) => void response.writeHead(429, { 'retry-after': '60' }).end('{}'),
  /** Closes the connection without a word. */
  gone: (response) => void response.destroy(),
} satisfies Record<string, Behaviour>;

/**
 * `NODE_OPTIONS` of a service that gives up no request to an issuer: a slow machine changes nothing, and what waits for
 * an issuer waits until that answers.
 */
export const endlessPatience = `--import=data:text/javascript,${encodeURIComponent(
  'AbortSignal.timeout = () => new AbortController().signal;',
)}`;

/** An issuer that behaves well until it is told otherwise, and counts who asks it for what. */
export async function startIllBehavedIssuer(alg?: SigningAlgorithm) {
  const issuer = await startIssuer(alg);
  const counts = { metadata: 0, keys: 0, elsewhere: 0 };
  let url = '';
  const behaviour: { metadata: Behaviour; keys: Behaviour } = {
    metadata: (response) => json({ issuer: url, jwks_uri: `${url}/jwks` })(response),
    keys: (response) => json(issuer.published)(response),
  };
  const well = { ...behaviour };
  const keys = [...issuer.published.keys];
  const server = createServer(({ url: path }, response) => {
    // A connection for each request: none is left for the next test, half used.
    response.setHeader('connection', 'close');
    if (path === '/.well-known/openid-configuration') {
      counts.metadata += 1;
      behaviour.metadata(response);
    } else if (path === '/jwks') {
      counts.keys += 1;
      behaviour.keys(response);
    } else {
      counts.elsewhere += 1;
      well.keys(response);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    ...issuer,
    config: { ...issuer.config, issuer: url },
    sign: (claims: TokenClaims = {}, header?: Partial<JWTHeaderParameters>, key = issuer.privateKey) =>
      issuer.sign({ iss: url, ...claims }, header, key),
    /** How it answers for its metadata and its key set; a test may replace either. */
    behaviour,
    /** Makes it behave well again. */
    recover: () => void Object.assign(behaviour, well),
    /** Makes it as it was when it started: well-behaved, with one key, asked by nobody. */
    reset: () => {
      Object.assign(behaviour, well);
      Object.assign(counts, { metadata: 0, keys: 0, elsewhere: 0 });
      issuer.published.keys = [...keys];
    },
    /** The answer that is a document. */
    json,
    /** How often each document was asked for. */
    counts,
    reads: () => counts.keys,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await issuer[Symbol.asyncDispose]();
    },
  };
}

/** A running issuer that may be told to misbehave. */
export type IllBehavedIssuer = Awaited<ReturnType<typeof startIllBehavedIssuer>>;
