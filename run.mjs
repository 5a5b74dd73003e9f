// Runs a file, or a command of a development dependency, by the Node that npm installed for Keyward:
//   node run.mjs src/commands/serve.ts
//   node run.mjs vitest run
// Any Node from 18 on can read this file, so it is all that the system's Node has to do. npm cannot do it: it loses
// the link node_modules/.bin/node where several optional packages bring one, as npm before 11.6 does.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The oldest Node that can run Keyward, as package.json has it in `engines`. */
const oldest = 24;

const packages = fileURLToPath(new URL('node_modules', import.meta.url));
/** What a package says of itself. An installation that broke off leaves folders that have no manifest, or part of one. */
const readManifest = (folder) => {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  } catch {
    process.stderr.write('Packages are not completely installed. Run npm ci.\n');
    return process.exit(1);
  }
};
const { dependencies, devDependencies, optionalDependencies } = readManifest(dirname(packages));

/** What npm has installed of these, by its folder. */
const installed = (names) => names.map((name) => join(packages, name)).filter((folder) => existsSync(folder));

/** The binaries that may do, best first: Keyward's own for this platform, and this one if it is new enough. */
const binaries = installed(Object.keys(optionalDependencies))
  .map((folder) => ({ folder, ...readManifest(folder) }))
  .filter(({ os, cpu }) => [os].flat().includes(process.platform) && [cpu].flat().includes(process.arch))
  .map(({ folder, bin }) => join(folder, bin.node));
if (Number.parseInt(process.versions.node, 10) >= oldest) binaries.push(process.execPath);

/** What Node is given to run: a command's file in place of its name; all else stays. */
const resolve = ([name, ...others]) => {
  // A path is no command: a start need not read the manifests of all packages.
  if (/[/\\]/.test(name)) return [name, ...others];
  const names = Object.keys({ ...dependencies, ...devDependencies });
  const owner = installed(names).find((folder) => readManifest(folder).bin?.[name] !== undefined);
  return [owner ? join(owner, readManifest(owner).bin[name]) : name, ...others];
};

/** Says in one line why nothing can be run. */
const refuse = () => {
  const needed = existsSync(packages)
    ? `Keyward needs Node ${oldest} or later, and npm has installed none for ${process.platform} on ${process.arch}.` +
      ` Install it from https://nodejs.org: this is Node ${process.versions.node}.`
    : 'The packages of Keyward are not installed: run npm ci.';
  process.stderr.write(`${needed}\n`);
  return 1;
};

/** Runs Node until it ends, hands signals on to it, and resolves with its exit code. */
const run = (args, stdio) =>
  new Promise((end) => {
    const [node, ...others] = binaries;
    if (node === undefined) return end(refuse());
    // For what is started in turn: a script's `node` is the same one.
    process.env.PATH = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`;
    const child = spawn(node, args, { stdio });
    const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'];
    const handOn = (signal) => child.kill(signal);
    for (const signal of signals) process.on(signal, handOn);
    const done = () => {
      for (const signal of signals) process.off(signal, handOn);
    };
    // A binary that this system cannot load, as of another C library: the next one may do.
    child.on('error', () => {
      done();
      binaries.splice(0, binaries.length, ...others);
      end(run(args, stdio));
    });
    child.on('exit', (code, signal) => {
      done();
      end(code ?? 128 + constants.signals[signal]);
    });
  });

const args = resolve(process.argv.slice(2));
// What is built is built anew where the source has changed. Nothing of that belongs to the command's input or output.
const isBuilt = args[0]?.startsWith('dist/');
const build = fileURLToPath(new URL('build.mjs', import.meta.url));
process.exitCode = isBuilt ? await run([build, '--if-changed'], ['ignore', 2, 2]) : 0;
if (process.exitCode === 0) process.exitCode = await run(args, 'inherit');
