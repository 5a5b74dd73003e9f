import { createDatabase } from './database.ts';
import { doorOperations } from './door-operations.ts';
import { installPeers } from './install-peers.ts';
import { createKeySecrets, readSecrets, storeKeySecrets } from './key-secrets.ts';
import { type Options, select } from './options.ts';
import { openPostgres } from './postgres.ts';
import { fastifyDoors, keyward, type Server, startServer } from './servers.ts';
import { describeTiming, measureSideBySide } from './side-by-side.ts';
import { measureVerification } from './verify-in-process.ts';
import { createWorld } from './world.ts';

const size = { users: 1000, keysEach: 10 };

/** Keys that the load goes through. */
const keyCount = 2000;

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
    return await measureSideBySide(servers, operations, { folder: world.folder, timing, connections });
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
