import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import type { AssertionAlgorithm } from '../../src/secrets/assertion-keys.ts';
import { documents } from './documents.ts';
import { installNodePackage } from './node-package.ts';
import { createTemporaryFolder, freePort, root, runCommand } from './process.ts';
import { canRun } from './programs.ts';
import { readLikeCgi, startProxiedApi } from './proxied-api.ts';
import { startProxy } from './proxy-process.ts';

/** Who signs assertions, for which API, and by which algorithm. */
export interface Signer {
  readonly url: string;
  readonly audience: string;
  readonly algorithm: AssertionAlgorithm;
  /** The public key, as `npm run assertion-key -- --public` prints it. */
  readonly pem: string;
}

/** What becomes of a request with an assertion: its status, and the account that it is taken for if it passes. */
export interface Verdict {
  readonly status: number;
  readonly user?: number;
}

/** Sends or verifies an assertion. */
export type Ask = (assertion: string) => Promise<Verdict>;

/** Something that verifies assertions. */
export interface Verifier {
  readonly name: string;
  readonly isRun: boolean;
  readonly algorithms: readonly AssertionAlgorithm[];
  /** Whether it also checks that an assertion has the permission `documents.read`. */
  readonly checksPermission: boolean;
  /** The faults that it does not look for. */
  readonly ignores: readonly string[];
  /** Starts it; what it starts ends with the stack. */
  readonly start: (signer: Signer, stack: AsyncDisposableStack) => Promise<Ask>;
}

const both: readonly AssertionAlgorithm[] = ['ES256', 'EdDSA'];

const keySetOf = (url: string) => new URL('/.well-known/jwks.json', url);

const userOf = (payload: JWTPayload) => (payload['keyward'] as { user_id: number }).user_id;

/** A library in this process: what it throws is a refusal. */
const library = (
  name: string,
  create: (signer: Signer) => Promise<(assertion: string) => Promise<JWTPayload>>,
  { algorithms = both, ignores = [] }: Partial<Pick<Verifier, 'algorithms' | 'ignores'>> = {},
): Verifier => ({
  name,
  isRun: true,
  algorithms,
  ignores,
  checksPermission: false,
  start: async (signer) => {
    const verify = await create(signer);
    return (assertion) =>
      verify(assertion).then(
        (payload) => ({ status: 200, user: userOf(payload) }),
        () => ({ status: 401 }),
      );
  },
});

const jose = library('jose', async ({ url, audience, algorithm }) => {
  const keys = createRemoteJWKSet(keySetOf(url));
  const options = { issuer: url, audience, algorithms: [algorithm], typ: 'at+jwt', requiredClaims: ['exp'] };
  return async (assertion) => (await jwtVerify(assertion, keys, options)).payload;
});

/** A client of OAuth that verifies access tokens in the profile of RFC 9068. */
const oauth4webapi = library('oauth4webapi', async ({ url, audience, algorithm }) => {
  const local = { [oauth.allowInsecureRequests]: true };
  const found = await oauth.discoveryRequest(new URL(url), { algorithm: 'oauth2', ...local });
  const server = await oauth.processDiscoveryResponse(new URL(url), found);
  return async (assertion) => {
    const request = new Request(url, { headers: { authorization: `Bearer ${assertion}` } });
    const claims = await oauth.validateJwtAccessToken(server, request, audience, {
      signingAlgorithms: [algorithm],
      ...local,
    });
    return claims as unknown as JWTPayload;
  };
});

interface JsonWebToken {
  readonly verify: (token: string, key: string, options: object) => JWTPayload;
}

/** The package of plugin-jwt, which the project has no other use for. */
const jsonwebtoken = library(
  'jsonwebtoken',
  async ({ url, audience, algorithm }) => {
    const plugin = createRequire(import.meta.url).resolve('@graphql-yoga/plugin-jwt');
    const { verify }: JsonWebToken = createRequire(plugin)('jsonwebtoken');
    const { keys } = await (await fetch(keySetOf(url))).json();
    const pem = `${createPublicKey({ key: keys[0], format: 'jwk' }).export({ format: 'pem', type: 'spki' })}`;
    return async (assertion) => verify(assertion, pem, { algorithms: [algorithm], issuer: url, audience });
  },
  { algorithms: ['ES256'], ignores: ['no exp', 'another typ', 'an unknown kid'] },
);

/** Replaces what must be there. */
const adapt = (text: string, replacements: Readonly<Record<string, string>>): string =>
  Object.entries(replacements).reduce((adapted, [documented, own]) => {
    if (!adapted.includes(documented)) throw new Error(`${documented} is not there`);
    return adapted.replaceAll(documented, own);
  }, text);

/**
 * A server of the examples, copied for the algorithm of the signer.
 * @param command makes the command that runs it, from its copy
 * @param replacements what else must be different here
 */
const example = (
  name: string,
  isRun: boolean,
  path: string,
  command: (copy: string, folder: string) => Promise<readonly [string, ...string[]]>,
  replacements: Readonly<Record<string, string>> = {},
): Verifier => ({
  name,
  isRun,
  algorithms: both,
  ignores: [],
  checksPermission: true,
  start: async ({ url, audience, algorithm }, stack) => {
    const folder = stack.use(await createTemporaryFolder()).path;
    const copy = join(folder, path.replaceAll('/', '-'));
    const text = readFileSync(join(root, 'examples', path), 'utf8');
    // The package for Node reads the algorithm from the key.
    const own = text.includes('ES256') ? { ES256: algorithm } : {};
    await writeFile(copy, adapt(text, { ...own, ...replacements }));
    const [program, ...args] = await command(copy, folder);
    const port = await freePort();
    const server = `http://127.0.0.1:${port}`;
    const env = { ...process.env, KEYWARD_URL: url, AUDIENCE: audience, PORT: `${port}` };
    stack.use(await startProxy(program, args, folder, server, env));
    return async (assertion) => {
      const answer = await fetch(`${server}/documents`, { headers: { 'x-keyward-assertion': assertion } });
      const { status } = answer;
      return status === 200 ? { status, user: (await answer.json()).user_id } : { status };
    };
  },
});

const typescript = example(
  'the example in TypeScript',
  true,
  'typescript/check-assertion.ts',
  async (copy, folder) => {
    await installNodePackage(folder, []);
    return [process.execPath, copy];
  },
);

// Debian's packages are for Debian's Python.
const debianPython = '/usr/bin/python3';

const python = example(
  'the example in Python',
  canRun('pyjwt', 'it does not verify assertions', ['-c', 'import cryptography, jwt'], debianPython),
  'check-assertion.py',
  async (copy) => [debianPython, copy],
);

// Debian's package golang-github-coreos-go-oidc-dev.
const goPackages = '/usr/share/gocode';

const go = example(
  'the example in Go',
  canRun(
    'go-oidc',
    'it does not verify assertions',
    ['-d', `${goPackages}/src/github.com/coreos/go-oidc`],
    'test',
  ) && canRun('go', 'go-oidc does not verify assertions', ['version']),
  'check-assertion.go',
  async (copy, folder) => {
    const program = join(folder, 'check-assertion');
    const env = { GO111MODULE: 'off', GOPATH: goPackages, GOFLAGS: '' };
    const built = await runCommand(['go', 'build', '-o', program, copy], {
      cwd: folder,
      env,
      timeout: 120_000,
    });
    if (built.code !== 0) throw new Error(built.stderr);
    return [program];
  },
  // Debian has version 2.
  { 'github.com/coreos/go-oidc/v3/oidc': 'github.com/coreos/go-oidc' },
);

const haproxyProgram = '/usr/sbin/haproxy';

/** HAProxy, configured as documented, in front of an API. */
const haproxy: Verifier = {
  name: 'HAProxy, configured as documented',
  isRun: canRun('haproxy', 'it does not verify assertions', ['-v'], haproxyProgram),
  algorithms: ['ES256'],
  ignores: ['an unknown kid'],
  checksPermission: true,
  start: async ({ url, audience, pem }, stack) => {
    const folder = stack.use(await createTemporaryFolder()).path;
    const api = stack.use(await startProxiedApi());
    const port = await freePort();
    const [file, key, next] = ['haproxy.cfg', 'keyward.pem', 'next.pem'].map((name) =>
      join(folder, name),
    ) as [string, string, string];
    const { blocks } = documents.find(({ path }) => path === 'docs/assertions.md') ?? { blocks: [] };
    const recipe = blocks.find(({ language }) => language === 'haproxy')?.text ?? '';
    const [signed = ''] = /^ *acl signed .*\n/m.exec(recipe) ?? [];
    await writeFile(key, pem);
    await writeFile(
      next,
      `${generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'pem', type: 'spki' })}`,
    );
    await writeFile(
      file,
      adapt(recipe, {
        // With a second line for the key that comes next.
        [signed]: adapt(signed, { '/etc/haproxy/keyward.pem': next }) + signed,
        'bind :80': `bind 127.0.0.1:${port}`,
        '/etc/haproxy/keyward.pem': key,
        'https://keys.example.com': url,
        'https://api.example.com': audience,
        '127.0.0.1:8080': `127.0.0.1:${api.port}`,
      }),
    );
    const front = `http://127.0.0.1:${port}`;
    stack.use(await startProxy(haproxyProgram, ['-db', '-f', file], folder, front));
    return async (assertion) => {
      const before = api.received.length;
      const headers = { authorization: `Bearer ${assertion}`, 'x-keyward-user': '7', 'X-Keyward_User': '7' };
      const { status } = await fetch(front, { headers });
      const [received] = api.received.slice(before);
      if ((status === 200) !== (received !== undefined))
        throw new Error(`${status}, but ${received?.target}`);
      return received ? { status, user: Number(readLikeCgi(received, 'X-Keyward-User').join()) } : { status };
    };
  },
};

/** All that verifies assertions here. */
export const verifiers: readonly Verifier[] = [
  jose,
  oauth4webapi,
  jsonwebtoken,
  typescript,
  python,
  go,
  haproxy,
];
