import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { startIssuer } from './issuer.ts';
import { freePort, runCommand, startProcess, untilRefused } from './process.ts';
import { copyProject } from './project-files.ts';
import { registryAccess } from './registry-access.ts';
import { secretVariables } from './secrets.ts';

/** Where and how somebody installs Keyward; what is left out is as on most machines. */
export interface Circumstances {
  /** As a user who is not root; where the tests are not run by root, everything is. */
  readonly ordinaryUser?: true;
  /** In a folder that only its owner can get through. */
  readonly closedFolder?: true;
  /** In a folder of another name than `keyward`. */
  readonly folderName?: string;
  /** What new files are for others. */
  readonly umask?: string;
  /** Behind an HTTP proxy, named by the environment. */
  readonly proxy?: true;
  /** In production: with an identity provider of one's own, and secrets. */
  readonly production?: true;
  readonly env?: Readonly<Record<string, string>>;
}

/** Whether the tests are run by root, who can be another user. */
export const isRoot = process.getuid?.() === 0;

/** The user `nobody`. */
const ordinary = 65_534;

/** What compiles, and what would fetch another Node. */
const withheld =
  /^((.*-)?(cc|c\+\+|gcc|g\+\+|cpp|clang|clang\+\+|ld|make|python3?)(-?[\d.]+)?|node|npm|npx|corepack)$/;

/** What says by which way npm reaches its registry. */
const npmOptions = /^npm_config_(registry|cafile|ca|strict_ssl)$|^node_extra_ca_certs$|_proxy$/i;

/** The environment by which any npm reaches its registry; no other setting of the npm that runs these tests. */
const reach = () =>
  Object.fromEntries(Object.entries(registryAccess()).filter(([name]) => npmOptions.test(name)));

/** Runs npm's own machine-wide command, to install a tool of these tests. */
const install = (folder: string, name: string) =>
  runCommand(['npm', 'install', '--no-save', '--ignore-scripts', '--no-audit', '--prefix', folder, name], {
    cwd: tmpdir(),
    env: registryAccess(),
    timeout: 300_000,
  });

/**
 * What the installations have in common: a cache for root and one for others, the system's programs without a
 * compiler, and the versions of npm and Node that were asked for.
 */
export async function openWorkshop() {
  const folder = await mkdtemp(join(tmpdir(), 'keyward-installations-'));
  await chmod(folder, 0o755);
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  const seen = new Set<string>();
  for (const place of (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((each) => !each.includes('node_modules')))
    for (const name of namesIn(place))
      if (!seen.has(name) && !withheld.test(name)) {
        seen.add(name);
        symlinkSync(join(place, name), join(programs, name));
      }
  const rootCache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
  const cache = join(folder, 'cache');
  mkdirSync(cache);
  if (isRoot) execFileSync('chown', [`${ordinary}:${ordinary}`, cache]);

  const tools = new Map<string, Promise<string>>();
  /** Installs an exact version of a package once; returns the package's folder. */
  const tool = (name: string, version: string): Promise<string> => {
    const place = join(folder, `${name}-${version}`);
    const fetched = async () => {
      const { code, stderr } = await install(place, `${name}@${version}`);
      if (code !== 0) throw new Error(`${name}@${version} cannot be installed: ${stderr}`);
      execFileSync('chmod', ['-R', 'a+rX', place]);
      return join(place, 'node_modules', name);
    };
    const found = tools.get(place) ?? fetched();
    tools.set(place, found);
    return found;
  };
  /** A folder with `npm` and `node` in these versions, for PATH. */
  const pair = async (npm: string, node: string): Promise<string> => {
    const place = join(folder, `npm-${npm}-node-${node}`);
    mkdirSync(place, { recursive: true });
    const cli = join(await tool('npm', npm), 'bin/npm-cli.js');
    const binary = join(await tool(`node-${process.platform}-${process.arch}`, node), 'bin/node');
    symlinkSync(binary, join(place, 'node'));
    writeFileSync(join(place, 'npm'), `#!/bin/sh\nexec '${binary}' '${cli}' "$@"\n`);
    chmodSync(join(place, 'npm'), 0o755);
    return place;
  };
  return {
    programs,
    pair,
    cacheOf: ({ ordinaryUser }: Circumstances) => (ordinaryUser && isRoot ? cache : rootCache),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** What {@link openWorkshop} has made. */
export type Workshop = Awaited<ReturnType<typeof openWorkshop>>;

/** The programs in a folder of PATH, which need not exist. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A proxy that leads on whatever it is asked to, by CONNECT. */
async function startProxy() {
  const server = createServer().listen(0, '127.0.0.1');
  server.on('connect', ({ url = '' }, client) => {
    const [host = '', port] = url.split(':');
    const target = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    for (const socket of [client, target])
      socket.on('error', () => void [client.destroy(), target.destroy()]);
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => void server.close(),
  };
}

/** A copy of the project in a folder of its own, where commands are run as the circumstances say. */
export async function openInstallation(
  workshop: Workshop,
  versions: readonly [string, string],
  given: Circumstances,
) {
  const stack = new AsyncDisposableStack();
  const outer = await mkdtemp(join(tmpdir(), 'keyward-installation-'));
  stack.defer(() => rm(outer, { recursive: true, force: true, maxRetries: 3 }));
  const folder = join(outer, given.folderName ?? 'keyward');
  const home = join(outer, 'home');
  mkdirSync(home);
  copyProject(folder);
  if (given.umask !== undefined) execFileSync('chmod', ['-R', 'go-rwx', folder]);
  if (!given.closedFolder) await chmod(outer, 0o755);
  const isOther = given.ordinaryUser && isRoot;
  if (isOther) execFileSync('chown', ['-R', `${ordinary}:${ordinary}`, outer]);

  const env: Record<string, string> = {
    ...reach(),
    npm_config_prefer_offline: 'true',
    npm_config_cache: workshop.cacheOf(given),
    PATH: [await workshop.pair(...versions), workshop.programs].join(delimiter),
    HOME: home,
    ...given.env,
  };
  if (given.proxy) {
    const proxy = await startProxy();
    stack.defer(proxy.stop);
    for (const name of ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY']) env[name] ??= proxy.url;
  }
  if (given.production) env['NODE_ENV'] = 'production';

  const as = isOther ? ['setpriv', `--reuid=${ordinary}`, `--regid=${ordinary}`, '--clear-groups'] : [];
  /** The words of a command, as the user and with the umask of this installation. */
  const words = (command: string) => [...as, 'sh', '-c', `umask ${given.umask ?? '022'}; exec ${command}`];
  return {
    folder,
    words,
    env,
    production: given.production === true,
    run: (command: string, more: Record<string, string> = {}) =>
      runCommand(words(command), { cwd: folder, env: { ...env, ...more }, timeout: 900_000 }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** A copy of the project, to install it in. */
type Installation = Awaited<ReturnType<typeof openInstallation>>;

/** Starts the service by `npm start`, asks it for alice's private key, and stops it; returns the answer and the output. */
export async function firstAnswer({ folder, words, env, production, run }: Installation) {
  await using issuer = await startIssuer();
  const port = `${await freePort()}`;
  const own = { AUTH_ISSUER: issuer.config.issuer, AUTH_AUDIENCE: 'keyward', ...secretVariables() };
  const variables = { ...env, PORT: port, ...(production && own) };
  await using service = await startProcess(folder, variables, 600_000, words('npm start'));
  const token = production
    ? await issuer.sign()
    : (await run('npm run --silent token -- --subject alice', { PORT: port })).stdout.trim();
  const answer = await fetch(`${service.url}/api/v1/auth/private-key`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { status } = answer;
  await answer.body?.cancel();
  service.signal('SIGTERM');
  await service.ended;
  await untilRefused(service);
  return { status, stdout: service.output.stdout };
}

/** What Vitest has reported of the last run in an installation. */
export async function testReport({ folder }: Installation) {
  const report = JSON.parse(await readFile(join(folder, 'artefacts/test-report.json'), 'utf8'));
  const { success, numTotalTests: total, numPassedTests: passed, testResults } = report;
  return { success, allPassed: total > 0 && passed === total, files: testResults.length };
}
