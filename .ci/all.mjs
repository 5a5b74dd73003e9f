// Runs the suites that the gate leaves out, each after what it needs of the system was installed, and ends with a table.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { countReport, UnusableReport } from './reports.mjs';

/** Programs that suites need: a command that succeeds where the program is there, and Debian's packages of it. */
const programs = {
  nginx: [['/usr/sbin/nginx', '-v'], 'nginx-light'],
  caddy: [['/usr/bin/caddy', 'version'], 'caddy'],
  haproxy: [['/usr/sbin/haproxy', '-v'], 'haproxy'],
  curl: [['curl', '--version'], 'curl'],
  python3: [['python3', '--version'], 'python3'],
  // Its tool alone is used: the service that comes with it is not for here.
  promtool: [['promtool', '--version'], 'prometheus'],
  go: [['go', 'version'], 'golang-go'],
  'kin-openapi': [
    ['test', '-d', '/usr/share/gocode/src/github.com/getkin/kin-openapi'],
    'golang-github-getkin-kin-openapi-dev',
  ],
  php: [['php', '--ri', 'curl'], 'php-cli php-curl'],
  openssl: [['openssl', 'version'], 'openssl'],
  'systemd-analyze': [['/usr/bin/systemd-analyze', '--version'], 'systemd'],
  glewlwyd: [['/usr/bin/glewlwyd', '--version'], 'glewlwyd'],
  pgbouncer: [['/usr/sbin/pgbouncer', '--version'], 'pgbouncer'],
  chromium: [['/usr/bin/chromium', '--version'], 'chromium'],
};

/** The suites in the order in which they run, and the programs that each needs. */
const suites = {
  audit: [],
  postgres: [],
  properties: [],
  e2e: [
    ...['nginx', 'caddy', 'haproxy', 'curl', 'python3', 'promtool', 'go', 'php', 'openssl'],
    ...['systemd-analyze', 'glewlwyd', 'kin-openapi'],
  ],
  image: ['curl'],
  installations: [],
  faults: ['pgbouncer'],
  browser: ['chromium'],
};

const usage = `Usage: npm run test:all -- [suites]

Runs the suites that the gate leaves out, or those that are named: ${Object.keys(suites).join(', ')}.
Installs Debian packages that they need and that are missing.

  --help             prints this text
`;

const run = (command, args, options) => spawnSync(command, args, { stdio: 'inherit', ...options });

const isMissing = (name) => {
  const [command, ...args] = programs[name][0];
  return spawnSync(command, args, { stdio: 'ignore' }).status !== 0;
};

/** Runs apt-get as root, waiting for whoever else has its lock. */
const aptGet = (...args) => {
  const command = ['apt-get', '-o', 'DPkg::Lock::Timeout=300', ...args];
  const [program, ...others] = process.getuid?.() === 0 ? command : ['sudo', ...command];
  return run(program, others, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }).status === 0;
};

/** Installs what is missing: all at once, and then one by one what did not come. */
const install = (names) => {
  const missing = names.filter(isMissing);
  if (missing.length === 0) return;
  aptGet('update');
  const packagesOf = (some) => some.flatMap((name) => programs[name][1].split(' '));
  const get = (some) => aptGet('install', '-y', '--no-install-recommends', ...packagesOf(some));
  if (get(missing)) return;
  aptGet('update');
  for (const name of missing.filter(isMissing)) get([name]);
};

/** Runs a suite of Vitest's; counts its tests. */
const runTests = (name) => {
  const report = `artefacts/${name}-report.json`;
  // A report of an earlier run must never be counted.
  rmSync(report, { force: true });
  run('npm', ['run', `test:${name}`], { env: { ...process.env, CI: 'true' } });
  try {
    return countReport(report);
  } catch (error) {
    if (!(error instanceof UnusableReport)) throw error;
    return { passed: 0, failed: 1, why: error.message };
  }
};

const audit = () => {
  const passed = run(process.execPath, ['.ci/audit.mjs']).status === 0;
  return { passed: passed ? 1 : 0, failed: passed ? 0 : 1 };
};

const runSuite = (name) => {
  const missing = suites[name].filter(isMissing);
  if (missing.length > 0) {
    const needed = missing.map((each) => `${each} (Debian: ${programs[each][1]})`).join(', ');
    return { passed: 0, failed: 1, why: `needs ${needed}` };
  }
  return name === 'audit' ? audit() : runTests(name);
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
    const result = runSuite(name);
    return { name, ...result, seconds: Math.round((performance.now() - began) / 1000) };
  });
  const line = (cells) =>
    cells.map((cell, index) => (index === 0 ? `${cell}`.padEnd(14) : `${cell}`.padStart(8))).join('');
  console.log(`\n${line(['suite', 'passed', 'failed', 'seconds'])}`);
  for (const { name, passed, failed, seconds } of results) console.log(line([name, passed, failed, seconds]));
  for (const { name, why } of results) if (why) console.log(`${name}: ${why}`);
  process.exitCode = results.some(({ failed }) => failed > 0) ? 1 : 0;
}
