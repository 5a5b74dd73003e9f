import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onPostgres } from '../../vitest.config.ts';
import {
  type Circumstances,
  firstAnswer,
  isRoot,
  openInstallation,
  openWorkshop,
  testReport,
  type Workshop,
} from '../support/installation.ts';
import { root } from '../support/process.ts';

const npms = ['10.8.3', '10.9.9', '11.0.0', '11.6.4', '11.16.0', '11.19.1', '12.2.0'];
const nodes = ['18.20.8', '20.20.2', '22.23.3', '24.21.0', '26.10.0'];

const circumstances = {
  'as root': {},
  'as root in a folder that is closed to others': { closedFolder: true },
  'as an ordinary user': { ordinaryUser: true },
  'in a path with a space and an umlaut': { ordinaryUser: true, folderName: 'Schlüssel für alle' },
  'behind an HTTP proxy': { ordinaryUser: true, proxy: true },
  'with NODE_ENV=production': { production: true },
  'with CI=true': { ordinaryUser: true, env: { CI: 'true' } },
  'behind umask 077': { umask: '077' },
  'as an ordinary user behind umask 077': { ordinaryUser: true, umask: '077' },
} satisfies Record<string, Circumstances>;
type Name = keyof typeof circumstances;
const names = Object.keys(circumstances) as Name[];

/** A version of npm on a version of Node, and what holds there. */
type Cell = readonly [npm: string, node: string, ...names: Name[]];

/** Three that are as unlike each other as can be. */
const few: readonly Cell[] = [
  ['10.8.3', '18.20.8', 'as root in a folder that is closed to others', 'behind umask 077'],
  ['11.0.0', '22.23.3', 'in a path with a space and an umlaut', 'behind an HTTP proxy'],
  ['12.2.0', '26.10.0', 'with NODE_ENV=production', 'with CI=true'],
];
/** npm 12 itself needs Node 22 or later: on Node 18 it ends with ERR_REQUIRE_ESM before it reads the project. */
const runs = ([npm, node]: readonly [npm: string, node: string]): boolean =>
  !(npm.startsWith('12.') && node.startsWith('18.'));

/**
 * Each npm on each Node where npm runs, in an order in which the first seven meet each of both; the circumstances in
 * turn, so that each meets several of both.
 */
const all = nodes
  .flatMap((_, step) => npms.map((npm, row) => [npm, nodes[(row + step) % nodes.length] ?? ''] as const))
  .filter(runs)
  .map((versions, index): Cell => [...versions, names[index % names.length] ?? 'as root']);
/** The Node that the project brings along for this platform. */
const locked = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).optionalDependencies[
  `node-${process.platform}-${process.arch}`
];
const cells = process.env['CI'] === 'true' ? few : all;

/** A file of tests that `npm test` runs on both databases. */
const [onBothDatabases] = onPostgres.filter((file) => !file.includes('*'));

if (!isRoot) process.stderr.write('\n*** Not run by root: all installations are those of this user. ***\n\n');

describe('npm ci && npm start, then a file of tests', () => {
  let workshop: Workshop;
  beforeAll(async () => {
    workshop = await openWorkshop();
  });
  afterAll(() => workshop?.[Symbol.asyncDispose]());

  const titled = cells.map(([npm, node, ...which]) => {
    const given: Circumstances = Object.assign({}, ...which.map((name) => circumstances[name]));
    const title = `npm ${npm} on Node ${node}, ${which.join(', ')}, without a compiler`;
    return [title, [npm, node], given] as const;
  });

  it.concurrent.for(titled)('%s', async ([, versions, given], { expect: own }) => {
    await using installation = await openInstallation(workshop, versions, given);
    const installed = await installation.run('npm ci');
    own(installed.code, installed.stderr).toBe(0);
    const { stdout: version } = await installation.run('node run.mjs --version');
    own(version).toBe(`v${locked}\n`);
    const { status, stdout } = await firstAnswer(installation);
    own([status, stdout.includes('"msg":"stopped"')]).toEqual([200, true]);
    const tested = await installation.run(`npm test -- ${onBothDatabases}`);
    own(tested.code, tested.stdout + tested.stderr).toBe(0);
    // PostgreSQL too could be started.
    own(await testReport(installation)).toEqual({ success: true, allPassed: true, files: 2 });
  });

  it('meets every circumstance', () => {
    const met = new Set(all.flatMap(([, , ...which]) => which));
    expect([...met].toSorted()).toEqual(names.toSorted());
  });
});
