// Runs the suites that the gate leaves out, each after what it needs of the system was installed, and ends with a table.
import { spawnSync } from 'node:child_process';
import { missing, needs, programs, runSuite } from './suites.mjs';

/** The suites in the order in which they run, and the programs that each needs. */
const suites = { audit: [], ...needs };

const usage = `Usage: npm run test:all -- [suites]

Runs the suites that the gate leaves out, or those that are named: ${Object.keys(suites).join(', ')}.
Installs Debian packages that they need and that are missing.

  --help             prints this text
`;

const run = (command, args, options) => spawnSync(command, args, { stdio: 'inherit', ...options });

/** Runs apt-get as root, waiting for whoever else has its lock. */
const aptGet = (...args) => {
  const command = ['apt-get', '-o', 'DPkg::Lock::Timeout=300', ...args];
  const [program, ...others] = process.getuid?.() === 0 ? command : ['sudo', ...command];
  return run(program, others, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }).status === 0;
};

/** Installs what is missing: all at once, and then one by one what did not come. */
const install = (names) => {
  const absent = missing(names);
  if (absent.length === 0) return;
  aptGet('update');
  const packagesOf = (some) => some.flatMap((name) => programs[name][1].split(' '));
  const get = (some) => aptGet('install', '-y', '--no-install-recommends', ...packagesOf(some));
  if (get(absent)) return;
  aptGet('update');
  for (const name of missing(absent)) get([name]);
};

const audit = () => {
  const passed = run(process.execPath, ['.ci/audit.mjs']).status === 0;
  return { passed: passed ? 1 : 0, failed: passed ? 0 : 1 };
};

/** Runs a suite, unless a program that it needs could not be installed. */
const runWhole = (name) => {
  const absent = missing(suites[name]);
  if (absent.length > 0) {
    const needed = absent.map((each) => `${each} (Debian: ${programs[each][1]})`).join(', ');
    return { passed: 0, failed: 1, why: `needs ${needed}` };
  }
  return name === 'audit' ? audit() : runSuite(name);
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => suites[name] === undefined && name !== '--help');
if (asked.includes('--help')) {
  process.stdout.write(usage);
} else if (unknown.length > 0) {
  process.stderr.write(`There is no suite ${unknown[0]}.\n\n${usage}`);
  process.exitCode = 2;
} else {
  const names = Object.keys(suites).filter((name) => asked.length === 0 || asked.includes(name));
  install([...new Set(names.flatMap((name) => suites[name]))]);
  const results = names.map((name) => {
    const began = performance.now();
    const result = runWhole(name);
    return { name, ...result, seconds: Math.round((performance.now() - began) / 1000) };
  });
  const line = (cells) =>
    cells.map((cell, index) => (index === 0 ? `${cell}`.padEnd(14) : `${cell}`.padStart(8))).join('');
  console.log(`\n${line(['suite', 'passed', 'failed', 'seconds'])}`);
  for (const { name, passed, failed, seconds } of results) console.log(line([name, passed, failed, seconds]));
  for (const { name, why } of results) if (why) console.log(`${name}: ${why}`);
  process.exitCode = results.some(({ failed }) => failed > 0) ? 1 : 0;
}
