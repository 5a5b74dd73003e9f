// Runs the suites of the gate, what fails soonest first, and ends with what ran, what did not and why, and the counts.
import { spawnSync } from 'node:child_process';
import { missing, needs, programs, runProjects, runSuite } from './suites.mjs';

const git = (...args) => {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
};

/** The commit that this one is compared with: main as it was fetched, or else the commit before. */
const base = () => {
  const main = git('merge-base', 'HEAD', 'origin/main');
  return main && main !== git('rev-parse', 'HEAD') ? main : git('rev-parse', 'HEAD^');
};

/** The files that differ from that commit; undefined if that is not known. */
const changed = (() => {
  const before = base();
  return before === undefined ? undefined : git('diff', '--name-only', before)?.split('\n');
})();

/** Says why a suite is not run, if nothing that it is about has changed. */
const unlessChanged = (what, pattern) =>
  changed === undefined || changed.some((file) => pattern.test(file)) ? undefined : `${what} did not change`;

const installing =
  /^(package(-lock)?\.json|\.npmrc|run\.mjs|build\.mjs|vitest\.config\.ts|test\/installations\/)/;
const paging = /^(web|src\/pages|schema)\//;

const unlessThere = (name) =>
  missing([name]).length > 0 ? `needs ${name} (Debian: ${programs[name][1]})` : undefined;

/** Runs a suite without the tests that need a program which this machine does not have. */
const runWhatCanRun = (name) => {
  const without = missing(needs[name]);
  return { ...runSuite(name, without), without };
};

/** The suites in their order: how each is run, and why it is not, if so. */
const suites = [
  { name: 'test', run: (name) => runSuite(name, [], ['npm', 'test']) },
  {
    // `npm test` has run the project postgres.
    name: 'properties and postgres',
    run: (name) => runProjects(name, ['properties', 'properties-postgres', 'postgres-settings']),
  },
  {
    name: 'browser',
    run: runWhatCanRun,
    idle: () => unlessChanged('The pages', paging) ?? unlessThere('chromium'),
  },
  { name: 'image', run: runWhatCanRun },
  { name: 'e2e', run: runWhatCanRun },
  { name: 'installations', idle: () => unlessChanged('What installs Keyward', installing) },
];

const sayLeftOut = ({ name, left, leftIn, without }) => {
  const absent = without.map((each) => `${each} (Debian: ${programs[each][1]})`).join(', ');
  return `${name}: ${left} tests left out, which need ${absent}, in ${leftIn.join(', ')}`;
};

const results = [];
for (const { name, run = runSuite, idle = () => undefined } of suites) {
  const hasFailed = results.some(({ failed }) => failed > 0);
  const why = hasFailed ? 'A suite before it failed' : idle();
  if (why !== undefined) {
    results.push({ name, passed: 0, failed: 0, idle: why });
    continue;
  }
  const began = performance.now();
  const result = run(name);
  const seconds = Math.round((performance.now() - began) / 1000);
  results.push({ name, seconds, ...result });
}

console.log();
for (const result of results) {
  const { name, seconds, passed, failed, left = 0, why, idle } = result;
  if (idle) console.log(`${name}: not run. ${idle}.`);
  else console.log(`${name}: ${passed} passed, ${failed} failed, in ${seconds} s${why ? `. ${why}` : ''}`);
  if (left > 0) console.log(sayLeftOut(result));
}
const sum = (key) => results.reduce((total, result) => total + result[key], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = sum('failed') === 0 ? 0 : 1;
