import { measureBesideBetterAuth } from './beside-better-auth.ts';
import { createDatabase } from './database.ts';
import { doorOperations, ruleOperations } from './door-operations.ts';
import { installPeers } from './install-peers.ts';
import { createKeySecrets, type KeySecrets, readSecrets, storeKeySecrets } from './key-secrets.ts';
import { createLoadGenerator } from './load-generator.ts';
import { measure, warmUp } from './measure.ts';
import { besideItself, type Options, select } from './options.ts';
import { openPostgres } from './postgres.ts';
import { medianOf, ratio } from './report.ts';
import {
  fastifyDoors,
  keyward,
  keywardWithAssertions,
  keywardWithPlan,
  type Server,
  type ServerKind,
  startServer,
} from './servers.ts';
import { describeTiming, measureSideBySide } from './side-by-side.ts';
import { digits } from './table.ts';
import { measureVerification } from './verify-in-process.ts';
import { createWorld, type World } from './world.ts';

const size = { users: 1000, keysEach: 10 };

/** Keys that the load goes through. */
const keyCount = 2000;

/** What a key's rules, a plan, an assertion and the form of OAuth cost, beside Keyward without them in one run. */
async function measureRules(
  { own, planned, asserting }: Record<'own' | 'planned' | 'asserting', Server>,
  keys: KeySecrets,
  { world, timing, connections }: { world: World } & Pick<Options, 'timing' | 'connections'>,
): Promise<string> {
  const load = createLoadGenerator(world.folder, connections);
  const { plain, ruled, verify, introspect, unsigned, signed } = ruleOperations(keys, world.verifier);
  const comparisons = [
    { server: own, operation: plain },
    { server: own, operation: ruled },
    { server: planned, operation: plain },
    { server: asserting, operation: unsigned },
    { server: asserting, operation: signed },
    { server: own, operation: verify },
    { server: own, operation: introspect },
  ].map((each) => ({ ...each, difference: undefined }));
  await warmUp(comparisons, load, timing.warmUp);
  const measured = await measure(comparisons, load, besideItself(timing));
  const samples = measured.map((each) => each.samples);
  if (samples.flat().some(({ errors }) => errors > 0)) throw new Error('Good keys were refused');
  const [
    base = [],
    withRules = [],
    withPlan = [],
    without = [],
    withAssertion = [],
    verified = [],
    introspected = [],
  ] = samples;
  const cost = (of: typeof base) => `${digits(medianOf(of, 'cpu'))} µs`;
  return [
    `A key with permissions, metadata, addresses, a rate limit and a quota takes ${digits(ratio(withRules, base))} times the processor time of one without: ${cost(withRules)} and ${cost(base)}.`,
    `A key without, whose account has a plan with every member, takes ${digits(ratio(withPlan, base))} times that: ${cost(withPlan)}.`,
    `Of a key that is used all the time, a verification for a server with an assertion takes ${digits(ratio(withAssertion, without))} times the processor time of one without, in one process: ${cost(withAssertion)} and ${cost(without)}.`,
    `An introspection takes ${digits(ratio(introspected, verified))} times the processor time of a verification for a server: ${cost(introspected)} and ${cost(verified)}.`,
  ].join(' ');
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
    const start = async (kind: ServerKind) =>
      running.use(await startServer({ ...kind, env: { ...kind.env, ...env } }, world));
    const [planned, asserting] = [await start(keywardWithPlan), await start(keywardWithAssertions)];
    const rules = await measureRules({ own, planned, asserting }, keys, { world, timing, connections });
    const betterAuth =
      name === 'SQLite' && only === undefined
        ? `\n\n### SQLite: beside better-auth's plugin for API keys\n\n${await measureBesideBetterAuth(own, keys, { world, timing, connections })}`
        : '';
    return `${beside}\n${rules}${betterAuth}`;
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
