// The suites of tests, and the programs beyond Node that some of them need.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { countReport, UnusableReport } from './reports.mjs';

/** Programs that suites need: a command that succeeds where the program is there, and Debian's packages of it. */
export const programs = {
  nginx: [['/usr/sbin/nginx', '-v'], 'nginx-light'],
  caddy: [['/usr/bin/caddy', 'version'], 'caddy'],
  haproxy: [['/usr/sbin/haproxy', '-v'], 'haproxy'],
  apache2: [
    ['test', '-f', '/usr/lib/apache2/modules/mod_auth_openidc.so'],
    'apache2 libapache2-mod-auth-openidc',
  ],
  curl: [['curl', '--version'], 'curl'],
  python3: [['python3', '--version'], 'python3'],
  pyjwt: [['/usr/bin/python3', '-c', 'import cryptography, jwt'], 'python3-jwt python3-cryptography'],
  'python-frameworks': [
    ['/usr/bin/python3', '-c', 'import build, fastapi, flask, setuptools, uvicorn, wheel'],
    'python3-build python3-fastapi python3-flask python3-pip python3-setuptools python3-uvicorn python3-venv python3-wheel',
  ],
  pypy3: [['pypy3', '--version'], 'pypy3'],
  // Its tool alone is used: the service that comes with it is not for here.
  promtool: [['promtool', '--version'], 'prometheus'],
  go: [['go', 'version'], 'golang-go'],
  'kin-openapi': [
    ['test', '-d', '/usr/share/gocode/src/github.com/getkin/kin-openapi'],
    'golang-github-getkin-kin-openapi-dev',
  ],
  'go-oidc': [
    ['test', '-d', '/usr/share/gocode/src/github.com/coreos/go-oidc'],
    'golang-github-coreos-go-oidc-dev',
  ],
  php: [['php', '--ri', 'curl'], 'php-cli php-curl'],
  openssl: [['openssl', 'version'], 'openssl'],
  // It mounts what the kernel lets it mount.
  bindfs: [['sh', '-c', 'bindfs --version && test -w /dev/fuse'], 'bindfs'],
  'systemd-analyze': [['/usr/bin/systemd-analyze', '--version'], 'systemd'],
  glewlwyd: [['/usr/bin/glewlwyd', '--version'], 'glewlwyd'],
  pgbouncer: [['/usr/sbin/pgbouncer', '--version'], 'pgbouncer'],
  chromium: [['/usr/bin/chromium', '--version'], 'chromium'],
  firefox: [['/usr/bin/firefox-esr', '--version'], 'firefox-esr'],
};

/** The programs that each suite needs, by the name of the suite: its script is `test:` and that name. */
export const needs = {
  postgres: [],
  properties: [],
  e2e: [
    ...['nginx', 'caddy', 'haproxy', 'apache2', 'curl', 'python3', 'promtool', 'go', 'php', 'openssl'],
    ...['systemd-analyze', 'glewlwyd', 'kin-openapi', 'bindfs', 'pyjwt', 'go-oidc'],
    ...['python-frameworks', 'pypy3'],
  ],
  image: ['curl'],
  installations: [],
  faults: ['pgbouncer'],
  browser: ['chromium', 'nginx'],
  behind: ['chromium', 'nginx'],
  firefox: ['firefox'],
};

/** Vitest's report of a suite. */
const reportOf = (name) => `artefacts/${name.replaceAll(' ', '-')}-report.json`;

const isMissing = (name) => {
  const [command, ...args] = programs[name][0];
  return spawnSync(command, args, { stdio: 'ignore' }).status !== 0;
};

/** Those of some programs that this machine does not have. */
export const missing = (names) => names.filter(isMissing);

/**
 * Runs a suite and counts its tests.
 * @param name the suite; its report is `artefacts/NAME-report.json`
 * @param without the programs whose tests are left out, because this machine does not have them
 * @param command what runs it, and writes the report: the suite's script, unless told otherwise
 * @returns how many tests passed, did not pass, and were left out for a program; and why, if there is no report
 */
export function runSuite(name, without = [], command = ['npm', 'run', `test:${name}`]) {
  const report = reportOf(name);
  // A report of an earlier run must never be counted.
  rmSync(report, { force: true });
  const [program, ...args] = command;
  const { status } = spawnSync(program, args, {
    stdio: 'inherit',
    env: { ...process.env, CI: 'true', TEST_WITHOUT: without.join(' ') },
  });
  try {
    const counted = countReport(report, without.length > 0);
    // All tests passed, and yet Vitest complains: of a file without tests, or of what happened beside them.
    return status !== 0 && counted.failed === 0 ? { ...counted, failed: 1 } : counted;
  } catch (error) {
    if (!(error instanceof UnusableReport)) throw error;
    return { passed: 0, failed: 1, left: 0, why: error.message };
  }
}

/** Runs some of Vitest's projects together, as a suite of this name: one computes while another waits. */
export const runProjects = (name, projects) =>
  runSuite(
    name,
    [],
    [
      ...['node', 'run.mjs', 'vitest', 'run', `--outputFile.json=${reportOf(name)}`],
      ...projects.flatMap((project) => ['--project', project]),
    ],
  );
