import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretOfSamePrefix } from '../support/api-key-secrets.ts';
import { rest } from './http.ts';
import type { KeySecrets } from './key-secrets.ts';
import { createLoadGenerator } from './load-generator.ts';
import { measure, warmUp } from './measure.ts';
import type { Operation } from './operation.ts';
import { besideItself, type Options } from './options.ts';
import { isSound, medianOf, ratio } from './report.ts';
import { betterAuth, type Server, startServer } from './servers.ts';
import { digits, head, row } from './table.ts';
import type { World } from './world.ts';

/** How many keys better-auth is given: making one takes it a while, and they do not change what a verification costs. */
const keyCount = 200;

const verification = (name: string, keys: readonly string[], token?: string): Operation => ({
  name,
  title: name,
  on: 'rest',
  requests: keys.map((key) => rest('POST', '/keys/verify', token, JSON.stringify({ key }))),
  probes: [],
});

/** What a verification costs beside better-auth's plugin for API keys: of a good key, and of an unknown one. */
export async function measureBesideBetterAuth(
  own: Server,
  { valid }: KeySecrets,
  { world, timing, connections }: { world: World } & Pick<Options, 'timing' | 'connections'>,
): Promise<string> {
  const keysFile = join(world.folder, 'better-auth-keys');
  const env = { KEYS_FILE: keysFile, KEYS: `${keyCount}` };
  await using theirs = await startServer({ ...betterAuth, env }, world);
  const theirKeys = readFileSync(keysFile, 'utf8').split('\n');
  const ownKeys = valid.slice(0, keyCount);
  const unknown = ownKeys.map(secretOfSamePrefix);
  const letters = (key: string) => key.split('').reverse().join('');
  const comparisons = [
    { server: own, operation: verification('valid', ownKeys, world.verifier) },
    { server: theirs, operation: verification('valid', theirKeys) },
    { server: own, operation: verification('unknown', unknown, world.verifier) },
    { server: theirs, operation: verification('unknown', theirKeys.map(letters)) },
  ].map((each) => ({ ...each, difference: undefined }));
  const load = createLoadGenerator(world.folder, connections);
  await warmUp(comparisons, load, timing.warmUp);
  const measured = await measure(comparisons, load, besideItself(timing));
  if (!measured.every(isSound)) throw new Error('A verification was not answered');
  const [good, theirGood, wrong, theirWrong] = measured.map(({ samples }) => samples);
  const line = (title: string, samples: typeof good = [], base: typeof good = []) =>
    row([
      title,
      digits(medianOf(samples, 'rate')),
      digits(medianOf(samples, 'cpu')),
      digits(ratio(samples, base)),
    ]);
  return [
    ...head(['', 'Requests/s', 'CPU, µs a request', 'CPU, Keyward = 1']),
    line('A good key: Keyward', good, good),
    line('A good key: better-auth', theirGood, good),
    line('An unknown key: Keyward', wrong, wrong),
    line('An unknown key: better-auth', theirWrong, wrong),
  ].join('\n');
}
