import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { exportJWK, generateKeyPair } from 'jose';
import { expect, it, vi } from 'vitest';
import {
  endlessPatience,
  type IllBehavedIssuer,
  misbehaviours,
  startIllBehavedIssuer,
} from '../support/ill-behaved-issuer.ts';
import { createTemporaryFolder, freePort, type ServiceProcess, startProcess } from '../support/process.ts';
import { scrape } from '../support/scrape.ts';
import { secretVariables } from '../support/secrets.ts';

/** A service that trusts an issuer, on a database in memory. */
async function start(folder: string, issuer: IllBehavedIssuer) {
  const metricsPort = await freePort();
  const service = await startProcess(
    folder,
    {
      NODE_ENV: 'production',
      DATABASE_URL: 'sqlite::memory:',
      METRICS_PORT: `${metricsPort}`,
      ...secretVariables(),
      AUTH_ISSUER: issuer.config.issuer,
      AUTH_AUDIENCE: 'keyward',
      NODE_OPTIONS: endlessPatience,
    },
    20_000,
  );
  const refreshes = async (outcome: string) =>
    (await scrape(metricsPort)).sum('keyward_key_set_refreshes_total', { outcome });
  return Object.assign(service, { refreshes });
}

const statusOf = async ({ url }: ServiceProcess, token: string) => {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${url}/api/v1/auth/private-key`, { headers })).status;
};

/** A good token that the service has never seen. */
const sign = (issuer: IllBehavedIssuer, kid = 'test-1', key = issuer.privateKey) =>
  issuer.sign({ jti: randomUUID() }, { kid }, key);

/** What its log says of reads of verification keys. */
const linesOf = ({ output }: ServiceProcess) =>
  output.stdout
    .split('\n')
    .filter((line) => line.includes('verification keys'))
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg.includes('verification keys'));

it.concurrent('an issuer that starts two seconds late is found without any request but health', async () => {
  await using issuer = await startIllBehavedIssuer();
  await using folder = await createTemporaryFolder();
  Object.assign(issuer.behaviour, { metadata: misbehaviours.gone, keys: misbehaviours.gone });
  await using service = await start(folder.path, issuer);
  const isReady = async () => (await fetch(`${service.url}/health/ready`)).ok;
  expect(await isReady()).toBe(false);
  await delay(2000);
  issuer.recover();
  const recoveredAt = performance.now();
  while (!(await isReady())) await delay(50);
  const milliseconds = Math.round(performance.now() - recoveredAt);
  process.stdout.write(`issuer back after 2 s: ready ${milliseconds} ms later\n`);
  expect(await statusOf(service, await sign(issuer))).toBe(200);
  await vi.waitFor(
    () =>
      expect(linesOf(service)).toMatchObject([
        {
          level: 40,
          msg: "could not read the issuer's verification keys; will retry",
          error: { message: expect.any(String) },
        },
        { level: 30, msg: "reading the issuer's verification keys again" },
      ]),
    20_000,
  );
});

it.concurrent('an empty key set revokes all keys, until there are keys again', {
  timeout: 60_000,
}, async () => {
  await using issuer = await startIllBehavedIssuer();
  await using folder = await createTemporaryFolder();
  await using service = await start(folder.path, issuer);
  expect(await statusOf(service, await sign(issuer))).toBe(200);
  const withdrawn = issuer.published.keys;
  issuer.published.keys = [];
  // Until an unknown key may cause the next read.
  await delay(30_000);
  expect(await statusOf(service, await sign(issuer, 'unknown'))).toBe(503);
  expect(await statusOf(service, await sign(issuer))).toBe(503);
  expect((await fetch(`${service.url}/health/ready`)).status).toBe(503);
  issuer.published.keys = withdrawn;
  while ((await statusOf(service, await sign(issuer))) !== 200) await delay(250);
  expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
  expect(await service.refreshes('unusable')).toBeGreaterThanOrEqual(1);
  await vi.waitFor(
    () =>
      expect(linesOf(service)).toMatchObject([
        { level: 40, issuer: issuer.config.issuer, error: { message: 'no key of the set can be used' } },
        { level: 30, msg: "reading the issuer's verification keys again" },
      ]),
    20_000,
  );
});

it.concurrent('a key published at another address works before all keys are read anew', {
  // Without the token, the keys would be read again after five minutes.
  timeout: 150_000,
}, async () => {
  await using issuer = await startIllBehavedIssuer();
  await using folder = await createTemporaryFolder();
  await using service = await start(folder.path, issuer);
  expect(await statusOf(service, await sign(issuer))).toBe(200);
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  issuer.behaviour.keys = issuer.json({ keys: [...issuer.published.keys] });
  issuer.published.keys.push({ ...(await exportJWK(publicKey)), kid: 'next', alg: 'ES256', use: 'sig' });
  const { issuer: url } = issuer.config;
  issuer.behaviour.metadata = issuer.json({ issuer: url, jwks_uri: `${url}/moved` });
  while ((await statusOf(service, await sign(issuer, 'next', privateKey))) !== 200) await delay(250);
  expect(await statusOf(service, await sign(issuer))).toBe(200);
});

it.concurrent('an unusable key set is reported once, each key with its reason', async () => {
  await using issuer = await startIllBehavedIssuer();
  await using folder = await createTemporaryFolder();
  const [key] = issuer.published.keys;
  const unusable = [
    { ...key, kid: 'sealing', use: 'enc' },
    { kty: 'oct', kid: 'shared', k: 'c4n4ry' },
  ];
  issuer.behaviour.keys = issuer.json({ keys: unusable });
  await using service = await start(folder.path, issuer);
  const response = await fetch(`${service.url}/health/ready`);
  const { issuer: url } = issuer.config;
  const fault = { part: 'verification keys', issuer: url, fault: 'no key of its set can be used' };
  expect([response.status, await response.json()]).toEqual([503, { status: 'unavailable', faults: [fault] }]);
  expect(await statusOf(service, await sign(issuer))).toBe(503);
  // It is asked again after a second.
  while (issuer.reads() < 2) await delay(50);
  await vi.waitFor(async () => expect(await service.refreshes('unusable')).toBeGreaterThan(1), 10_000);
  expect(await service.refreshes('success')).toBe(0);
  const message =
    'no key of the set can be used: the key "sealing" has `use` "enc"; the key "shared" is of the type "oct"';
  expect(linesOf(service)).toEqual([
    expect.objectContaining({ level: 40, issuer: url, error: expect.objectContaining({ message }) }),
  ]);
  expect(service.output.stdout).not.toContain('c4n4ry');
  issuer.recover();
  while (!(await fetch(`${service.url}/health/ready`)).ok) await delay(50);
  expect(await statusOf(service, await sign(issuer))).toBe(200);
});
