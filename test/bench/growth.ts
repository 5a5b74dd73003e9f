import { setTimeout as delay } from 'node:timers/promises';
import { growthVerifications } from './door-operations.ts';
import { growthTables } from './growth-report.ts';
import { type HttpRequest, send } from './http.ts';
import {
  createKeySecrets,
  type KeySecrets,
  readSecrets,
  refusedKeys,
  storeKeySecrets,
} from './key-secrets.ts';
import { createLoadGenerator } from './load-generator.ts';
import { measure, warmUp } from './measure.ts';
import { type Options, select } from './options.ts';
import { residentMegabytes } from './process-figures.ts';
import { restOperations } from './rest-operations.ts';
import { keyward, type Server, startServer } from './servers.ts';
import { measureStartUps } from './start-up.ts';
import { createWorld, type World } from './world.ts';

const keysEach = 10;

/** Where the other grows. */
const middle = { keys: 100_000, tokens: 100 };

/** As many as are remembered. */
const mostTokens = 10_000;

/** The most keys that are verified, each in its turn: twice as many as are remembered. */
const mostVerified = 20_000;

/** API keys in the database, and different tokens in use. */
const populations = [
  { ...middle, keys: 1000 },
  { ...middle, tokens: 1 },
  middle,
  { ...middle, keys: 1_000_000 },
  { ...middle, tokens: mostTokens },
];

/** A world, and secrets of keys in it. */
interface Populated {
  readonly world: World;
  readonly secrets: KeySecrets;
}

async function createWorlds(stack: AsyncDisposableStack): Promise<Populated[]> {
  const worlds: Populated[] = [];
  for (const { keys, tokens } of populations) {
    console.log(`Making ${keys} API keys and ${tokens} tokens …`);
    const world = stack.use(await createWorld({ users: keys / keysEach, keysEach }, tokens));
    const secrets = createKeySecrets(Math.min(keys - refusedKeys, mostVerified), 0);
    await storeKeySecrets(world.templateUrl, secrets, readSecrets(world.secrets));
    worlds.push({ world, secrets });
  }
  return worlds;
}

interface Started extends Populated {
  readonly server: Server;
}

/**
 * Deactivates the key of each token: tokens are remembered then, and what is measured is the repetition alone.
 * Every server is sent as many requests, so that none is warmer than another.
 */
async function deactivateKeys({ server: { url }, world }: Started): Promise<void> {
  const requests = select(restOperations(world), ['rest-deactivate']).flatMap((each) => each.requests);
  for (let sent = 0; sent < mostTokens; sent += 100) {
    const next = Array.from({ length: 100 }, (_, index) => requests[(sent + index) % requests.length]);
    const answers = await Promise.all(next.map((request) => send(url, request as HttpRequest)));
    const refused = answers.find(({ status }) => status !== 200);
    if (refused) throw new Error(`A deactivation is answered ${JSON.stringify(refused)}`);
  }
}

/** The operations of all, the same ones side by side. */
function comparisonsOf(started: readonly Started[]) {
  const all = started.map(({ server, world, secrets }) =>
    [...growthVerifications(secrets), ...restOperations(world)].map((operation) => ({
      server,
      operation,
      difference: undefined,
    })),
  );
  return (all[0] ?? []).flatMap((_first, place) => all.flatMap((own) => own[place] ?? []));
}

/** Measures Keyward with more and more data and callers, all of them in turn. */
export async function measureGrowth({ timing }: Options): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const worlds = await createWorlds(stack);
  console.log('Timing starts …');
  const startUps = await measureStartUps(
    worlds.map(({ world }) => world),
    timing.starts,
  );
  const started: Started[] = [];
  for (const populated of worlds)
    started.push({ ...populated, server: stack.use(await startServer(keyward, populated.world)) });
  await delay(timing.idle * 1000);
  const idle = started.map(({ server }) => residentMegabytes(server.pid));

  console.log('Warming up …');
  for (const each of started) await deactivateKeys(each);
  const load = createLoadGenerator(worlds[0]?.world.folder ?? '');
  const comparisons = comparisonsOf(started);
  await warmUp(comparisons, load, timing.warmUp);
  const measurements = await measure(comparisons, load, timing);
  const columns = started.map(({ world, server }, index) => ({
    world,
    startUp: startUps[index],
    idle: idle[index],
    measurements: measurements.filter((measurement) => measurement.server === server),
  }));
  const { rounds, saturated, warmUp: warm } = timing;
  return `One process of Keyward for each column, idle while another is measured. CPU: medians of ${rounds} rounds of ${saturated} s at full load, after ${mostTokens.toLocaleString('en')} requests, which deactivated each token's key, and ${warm} s of warming up; behind it, in parentheses, the median of its ratios to the first column's in the same round. Each account has ${keysEach} keys. Each its own key: of ${mostVerified.toLocaleString('en')} keys, or of all if there are fewer, each in its turn. Memory is idle ${timing.idle} s after the start. A start is in production's configuration with what Node compiled kept from an earlier one, until the first request is answered; medians of ${timing.starts}.

${growthTables(columns, middle)}`;
}
