import { createDatabase } from './database.ts';
import { doorOperations, ruleOperations } from './door-operations.ts';
import { installPeers } from './install-peers.ts';
import { createKeySecrets, type KeySecrets, readSecrets, storeKeySecrets } from './key-secrets.ts';
import { createLoadGenerator } from './load-generator.ts';
import { measure, warmUp } from './measure.ts';
import { besideItself, type Options, select } from './options.ts';
import { openPostgres } from './postgres.ts';
import { medianOf, ratio } from './report.ts';
import { fastifyDoors, keyward, type Server, startServer } from './servers.ts';
import { describeTiming, measureSideBySide } from './side-by-side.ts';
import { digits } from './table.ts';
import { measureVerification } from './verify-in-process.ts';
import { createWorld, type World } from './world.ts';

const size = { users: 1000, keysEach: 10 };

/** Keys that the load goes through. */
const keyCount = 2000;

/** What a key's own rules cost at the door for a reverse proxy: Keyward beside itself, in one run. */
async function measureRules(
  server: Server,
  keys: KeySecrets,
  { world, timing, connections }: { world: World } & Pick<Options, 'timing' | 'connections'>,
): Promise<string> {
  const load = createLoadGenerator(world.folder, connections);
  const { plain, ruled } = ruleOperations(keys);
  const comparisons = [plain, ruled].map((operation) => ({ server, operation, difference: undefined }));
  await warmUp(comparisons, load, timing.warmUp);
  const [without, withAll] = await measure(comparisons, load, besideItself(timing));
  const [base, all] = [without?.samples ?? [], withAll?.samples ?? []];
  if ([...base, ...all].some(({ errors }) => errors > 0)) throw new Error('Good keys were refused');
  return `A key with permissions, metadata, addresses, a rate limit and a quota takes ${digits(ratio(all, base))} times the processor time of one without: ${digits(medianOf(all, 'cpu'))} µs and ${digits(medianOf(base, 'cpu'))}.`;
}

/** Measures the verification of API keys, beside a peer on both databases, and without HTTP. */
export async function measureDoors({ only, timing, connections }: Options): Promise<string> {
  installPeers();
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await createWorld(size, 1));
  const postgres = stack.use(await openPostgres());
  await createDatabase(postgres.url, world.issuer, size);
  const [secrets, keys] = [readSecrets(world.secrets), createKeySecrets(keyCount)];
  for (const url of [world.templateUrl, postgres.url]) await storeKeySecrets(url, keys, secrets);

  const inProcess = await measureVerification(`sqlite:${await world.copyDatabase()}`, keys.valid, secrets);
  const measureOn = async (name: string, env: Readonly<Record<string, string>>) => {
    const operations = select(doorOperations(world, keys, name), only);
    await using running = new AsyncDisposableStack();
    const servers: Server[] = [];
    for (const kind of [keyward, fastifyDoors])
      servers.push(running.use(await startServer({ ...kind, env }, world)));
    const beside = await measureSideBySide(servers, operations, {
      folder: world.folder,
      timing,
      connections,
    });
    const [own] = servers as [Server];
    return `${beside}\n${await measureRules(own, keys, { world, timing, connections })}`;
  };
  const onSqlite = await measureOn('SQLite', {});
  const onPostgres = await measureOn('PostgreSQL', { DATABASE_URL: postgres.url });
  const keysInAll = (size.users * size.keysEach).toLocaleString('en');
  return `${describeTiming(timing)} The load goes through ${keyCount.toLocaleString('en')} API keys of ${keysInAll}. On PostgreSQL, processor time is the gateway's alone.

${onSqlite}

${onPostgres}

### In process, on SQLite (\`verifySecret\`)

${inProcess}`;
}
