import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  endlessPatience,
  type IllBehavedIssuer,
  misbehaviours,
  startIllBehavedIssuer,
} from '../support/ill-behaved-issuer.ts';
import { createTemporaryFolder, type ServiceProcess, startProcess } from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';
import { encode } from '../support/token-forge.ts';

let issuer: IllBehavedIssuer;
beforeAll(async () => {
  issuer = await startIllBehavedIssuer();
});
afterAll(() => issuer?.[Symbol.asyncDispose]());
afterEach(() => issuer.reset());

/** The service, which trusts the issuer. */
const start = (folder: string, env: Record<string, string> = {}) =>
  startProcess(folder, {
    NODE_ENV: 'production',
    ...secretVariables(),
    AUTH_ISSUER: issuer.config.issuer,
    AUTH_AUDIENCE: 'keyward',
    LOG_LEVEL: 'silent',
    NODE_OPTIONS: endlessPatience,
    ...env,
  });

const send = async (url: string, init: RequestInit = {}) => {
  const startedAt = performance.now();
  const response = await fetch(url, init);
  await response.arrayBuffer();
  const retryAfter = response.headers.get('retry-after');
  return { status: response.status, retryAfter, milliseconds: performance.now() - startedAt };
};

const body = JSON.stringify({ query: '{ privateKeyStatus { hasKey } }' });

/** Calls with a token, over REST and over GraphQL in turn. */
const call = ({ url }: ServiceProcess, token: string, turn: number) => {
  const authorization = `Bearer ${token}`;
  if (turn % 2 === 0) return send(`${url}/api/v1/auth/private-key`, { headers: { authorization } });
  const accept = 'application/graphql-response+json';
  const headers = { authorization, accept, 'content-type': 'application/json' };
  return send(`${url}/graphql`, { method: 'POST', headers, body });
};

/** Good tokens: one that the service has seen in every request but some, which are new. */
const callWell = async (service: ServiceProcess, count: number) => {
  const known = await issuer.sign();
  const tokens = await Promise.all(
    Array.from({ length: count }, (_, at) => (at % 10 === 0 ? issuer.sign({ jti: randomUUID() }) : known)),
  );
  return Promise.all(tokens.map((token, turn) => call(service, token, turn)));
};

/** A token that names a key that nobody knows, with a signature that is none. */
const stranger = (good: string) => {
  const header = encode({ alg: 'RS256', kid: randomUUID(), typ: 'at+jwt' });
  return `${header}.${good.split('.')[1]}.${encode(Buffer.alloc(256))}`;
};

const statusesOf = (answers: readonly { status: number }[]) => new Set(answers.map(({ status }) => status));
const slowest = (answers: readonly { milliseconds: number }[]) =>
  Math.round(Math.max(...answers.map(({ milliseconds }) => milliseconds)));

it('260 tokens with unknown keys, while the issuer is slow, do not block other requests', {
  timeout: 90_000,
}, async () => {
  await using folder = await createTemporaryFolder();
  await using service = await start(folder.path);
  expect(statusesOf(await callWell(service, 20))).toEqual(new Set([200]));
  // Its keys were read at the start; they are asked for again after 30 seconds.
  await delay(30_000);
  const held: (() => void)[] = [];
  issuer.behaviour.keys = (response) => {
    held.push(() => issuer.json(issuer.published)(response));
  };
  const good = await issuer.sign();
  const refused: Awaited<ReturnType<typeof send>>[] = [];
  const strangers = Array.from({ length: 260 }, async (_, turn) => {
    const answer = await call(service, stranger(good), turn);
    refused.push(answer);
    return answer;
  });
  // The others do not wait for the issuer, which has not answered yet.
  await expect.poll(() => refused.length, { timeout: 30_000 }).toBe(252);
  expect(statusesOf(refused)).toEqual(new Set([503]));
  expect(new Set(refused.map(({ retryAfter }) => retryAfter))).toContain('5');
  const among: Awaited<ReturnType<typeof callWell>> = [];
  for (let round = 0; round < 5; round += 1) among.push(...(await callWell(service, 40)));
  expect(statusesOf(among)).toEqual(new Set([200]));
  expect([held.length, issuer.counts.keys, refused.length]).toEqual([1, 2, 252]);
  held[0]?.();
  const all = await Promise.all(strangers);
  expect(refused.slice(252).map(({ status }) => status)).toEqual(Array(8).fill(401));
  process.stdout.write(
    `unknown keys: ${all.length}, eight waited ${slowest(all)} ms, the others ${slowest(refused.slice(0, 252))} ms at most; 200 good ones ${slowest(among)} ms at most\n`,
  );
});

it('260 requests for pages, while the provider does not answer, are answered and do not block other requests', async () => {
  // A page that waits for the provider would never come.
  issuer.behaviour.metadata = misbehaviours.silent;
  await using folder = await createTemporaryFolder();
  await using service = await start(folder.path, {
    AUTH_JWKS_URI: `${issuer.config.issuer}/jwks`,
    AUTH_BROWSER_CLIENT_ID: 'pages',
  });
  // Read from the disk when they are first asked for.
  for (const path of ['/console', '/sign-in/callback']) await send(service.url + path);
  const pages = Array.from({ length: 260 }, (_, turn) =>
    send(service.url + (turn % 2 === 0 ? '/console' : '/sign-in/callback')),
  );
  const among = await callWell(service, 100);
  expect(statusesOf(among)).toEqual(new Set([200]));
  const shown = await Promise.all(pages);
  expect(statusesOf(shown)).toEqual(new Set([200]));
  expect(issuer.counts.metadata).toBe(1);
  process.stdout.write(
    `pages of a provider that says nothing: ${slowest(shown)} ms at most; 100 good requests ${slowest(among)} ms at most\n`,
  );
});
