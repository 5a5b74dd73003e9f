import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { residentMegabytes } from '../bench/process-figures.ts';
import { startIssuer } from '../support/issuer.ts';
import { report } from '../support/ledger.ts';
import { createTemporaryFolder, startProcess } from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';

/** A start on an empty folder: how long it takes until it is ready, in milliseconds, and its memory 3 s later. */
async function measureStart(env: Record<string, string>) {
  await using folder = await createTemporaryFolder();
  await using service = await startProcess(folder.path, env);
  const { milliseconds } = service;
  await delay(3000);
  return { milliseconds, megabytes: Number(residentMegabytes(service.pid)) };
}

/** The most memory of several starts. */
async function measureStarts(env: Record<string, string>): Promise<number> {
  const starts: Awaited<ReturnType<typeof measureStart>>[] = [];
  while (starts.length < 4) starts.push(await measureStart(env));
  const milliseconds = starts.map((start) => start.milliseconds);
  const megabytes = Math.max(...starts.map((start) => start.megabytes));
  report('starts', { milliseconds: milliseconds.join(' '), 'MB at most': megabytes });
  return megabytes;
}

it('a service in production uses less than 175 MB after its start', async () => {
  await using issuer = await startIssuer();
  const megabytes = await measureStarts({
    NODE_ENV: 'production',
    ...secretVariables(),
    AUTH_ISSUER: issuer.config.issuer,
    AUTH_AUDIENCE: 'keyward',
  });
  expect(megabytes).toBeLessThan(175);
});
