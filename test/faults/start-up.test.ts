import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { residentMegabytes } from '../bench/process-figures.ts';
import { startIssuer } from '../support/issuer.ts';
import { report } from '../support/ledger.ts';
import { createTemporaryFolder, startProcess } from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';

/** A start on an empty folder: how long it takes until it is ready, in milliseconds, and its memory 3 s later. */
async function measureStart(env: Record<string, string> = {}) {
  await using folder = await createTemporaryFolder();
  await using service = await startProcess(folder.path, env);
  const { milliseconds } = service;
  await delay(3000);
  return { milliseconds, megabytes: Number(residentMegabytes(service.pid)) };
}

/** Several: the first may still have to compile what the others find compiled. */
async function measureStarts(env?: Record<string, string>) {
  const starts: Awaited<ReturnType<typeof measureStart>>[] = [];
  while (starts.length < 4) starts.push(await measureStart(env));
  const milliseconds = starts.map((start) => start.milliseconds);
  const megabytes = Math.max(...starts.map((start) => start.megabytes));
  report('starts', { milliseconds: milliseconds.join(' '), 'MB at most': megabytes });
  return { fastest: Math.min(...milliseconds), megabytes };
}

describe('a start', () => {
  it('in production is ready within 1.5 seconds, and uses less than 165 MB', async () => {
    await using issuer = await startIssuer();
    const { fastest, megabytes } = await measureStarts({
      NODE_ENV: 'production',
      ...secretVariables(),
      AUTH_ISSUER: issuer.config.issuer,
      AUTH_AUDIENCE: 'keyward',
    });
    // On this machine when others leave it alone: half a second.
    expect(fastest).toBeLessThan(1500);
    expect(megabytes).toBeLessThan(165);
  });

  it('with the development identity provider is ready within two seconds', async () => {
    expect((await measureStarts()).fastest).toBeLessThan(2000);
  });
});
