import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { writeServerCredential } from '../../src/config/values/server-credentials.ts';
import { createOnServer } from '../support/database.ts';
import { startIssuer } from '../support/issuer.ts';
import { startOwnPostgres } from '../support/postgres-service.ts';
import { createTemporaryFolder, freePort, root, startProcess } from '../support/process.ts';
import { canRun } from '../support/programs.ts';
import { readPromql } from '../support/promql.ts';
import { type Scrape, scrape } from '../support/scrape.ts';
import { secretVariables } from '../support/secrets.ts';
import { createServer } from '../support/servers.ts';

const hasPromtool = canRun('promtool', 'the names of metrics are not checked');

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}
interface Rule {
  readonly alert: string;
  readonly expr: string;
}

const dashboard = JSON.parse(read('deploy/grafana-dashboard.json')) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly query: { readonly query: string } | string }[] };
};
const rules = (parse(read('deploy/alerts.yaml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);

/** What Grafana puts in the place of its variables. */
const filledIn = (text: string) =>
  text.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'keyward').replaceAll('$instance', '.*');

const ofPanels = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, filledIn(expr)] as const),
);
const ofVariables = dashboard.templating.list.flatMap(({ query }) => {
  const selector = /^label_values\((.+), \w+\)$/.exec(typeof query === 'string' ? query : query.query)?.[1];
  return selector === undefined ? [] : [['a variable', filledIn(selector)] as const];
});
const ofAlerts = rules.map(({ alert, expr }) => [alert, expr] as const);
const expressions = [...ofPanels, ...ofVariables, ...ofAlerts];

/** What Prometheus adds to what it scrapes. */
const addedLabels = ['job', 'instance'];

const server = createServer('checkout', 'keys.verify');

/** Two workers on PostgreSQL, each of which has accepted and refused tokens. */
async function scrapeEverything(): Promise<Scrape> {
  await using postgres = await startOwnPostgres();
  await using issuer = await startIssuer();
  await using folder = await createTemporaryFolder();
  const plansFile = join(folder.path, 'plans.json');
  await writeFile(plansFile, JSON.stringify({ default: 'free', plans: { free: {} } }));
  const metricsPort = await freePort();
  await using service = await startProcess(
    folder.path,
    {
      NODE_ENV: 'production',
      WORKERS: '2',
      METRICS_PORT: `${metricsPort}`,
      PLANS_FILE: plansFile,
      ...secretVariables(),
      AUTH_ISSUER: issuer.config.issuer,
      AUTH_AUDIENCE: 'keyward',
      SERVER_CREDENTIALS: writeServerCredential(server),
      DATABASE_URL: await createOnServer(postgres.url),
      DATABASE_MIGRATE: 'auto',
      DOOR_GRACE_SECONDS: '30',
    },
    60_000,
  );
  const call = async (authorization: string) => {
    const headers = { authorization, connection: 'close' };
    await (await fetch(`${service.url}/api/v1/auth/keys`, { headers })).text();
  };
  const token = await issuer.sign();
  const pids = () => new Set(service.output.stdout.match(/"pid":\d+/g));
  for (let count = 0; count < 10 || pids().size < 2; count += 1) await call(`Bearer ${token}`);
  await call('Bearer a.b.c');
  await call(`Bearer ${server.secret}`);
  const metrics = await scrape(metricsPort);
  // The log comes by a pipe, a little later.
  await vi.waitFor(() => {
    const answered = service.output.stdout.match(/"msg":"request"/g)?.length;
    expect(metrics.sum('keyward_http_requests_total')).toBe(answered);
  }, 20_000);
  return metrics;
}

let metrics: Scrape;
let labels: Map<string, Set<string>>;
beforeAll(async () => {
  metrics = await scrapeEverything();
  labels = metrics.labels();
}, 90_000);

describe('the metrics of two workers', () => {
  it('are added up at one port', () => {
    expect(metrics.sum('keyward_token_checks_total', { reason: 'verified' })).toBe(2);
    expect(metrics.sum('keyward_token_checks_total', { outcome: 'refused' })).toBe(1);
    expect(metrics.sum('keyward_server_requests_total', { server: 'checkout', status: '403' })).toBe(1);
    expect(metrics.sum('keyward_key_set_refreshes_total', { outcome: 'success' })).toBe(2);
    expect(metrics.sum('keyward_database_pool_max_connections')).toBe(20);
  });

  it('are not added up if the sum means nothing', () => {
    // The issuer publishes two.
    expect(metrics.sum('keyward_verification_keys')).toBe(2);
    expect(metrics.sum('keyward_build_info')).toBe(1);
  });
});

describe.skipIf(!hasPromtool)("Prometheus' own tool", () => {
  const promtool = (...args: string[]) =>
    spawnSync('promtool', args, { input: metrics.text, encoding: 'utf8' });

  it('finds nothing wrong with our metrics', () => {
    const { stderr, error } = promtool('check', 'metrics');
    expect(error).toBeUndefined();
    // What all services in Node.js have keeps the names that dashboards know.
    expect(stderr.split('\n').filter((line) => line !== '' && !line.startsWith('nodejs_'))).toEqual([]);
  });

  it('accepts the alert rules', () => {
    expect(promtool('check', 'rules', join(root, 'deploy/alerts.yaml'))).toMatchObject({ status: 0 });
  });
});

/** Whether a label of a metric may have a value: some series has it. */
const isPossible = (metric: string, label: string, value: string | undefined): boolean =>
  value === undefined ||
  addedLabels.includes(label) ||
  metrics.samples.some((sample) => sample.name === metric && sample.labels[label] === value);

describe('an expression of the dashboard or of an alert', () => {
  it.each(expressions)('uses only metrics and labels that exist: %s', (_where, expression) => {
    const { selectors, grouping } = readPromql(expression);
    expect(selectors.length).toBeGreaterThan(0);
    for (const { metric, matchers } of selectors.filter(({ metric }) => metric !== 'up')) {
      expect([...labels.keys()]).toContain(metric);
      const known = [...(labels.get(metric) ?? []), ...addedLabels];
      expect(known).toEqual(expect.arrayContaining(matchers.map(({ label }) => label)));
      expect(known).toEqual(expect.arrayContaining([...grouping]));
      for (const { label, equals } of matchers) expect(isPossible(metric, label, equals)).toBe(true);
    }
  });

  it('exists for each metric of ours', () => {
    const used = new Set(
      expressions.flatMap(([, text]) => readPromql(text).selectors.map(({ metric }) => metric)),
    );
    const ours = [...metrics.text.matchAll(/^# TYPE (keyward_\w+) (\w+)$/gm)];
    expect(ours.length).toBeGreaterThan(5);
    for (const [, name, type] of ours) expect(used).toContain(type === 'histogram' ? `${name}_bucket` : name);
  });
});

it('the documentation lists all metrics', () => {
  const documented = [
    ...read('docs/telemetry.md').matchAll(/^\| `(keyward_\w+)` \| (\w+) \|(.*)\| (.+) \|$/gm),
  ];
  const help = new Map(
    [...metrics.text.matchAll(/^# HELP (\w+) (.*)$/gm)].map(([, name = '', text]) => [name, text]),
  );
  const labelsOf = (name: string, type: string) =>
    [...(labels.get(type === 'histogram' ? `${name}_count` : name) ?? [])].sort();
  const actual = [...metrics.text.matchAll(/^# TYPE (keyward_\w+) (\w+)$/gm)].map(
    ([, name = '', type = '']) => [name, type, labelsOf(name, type), help.get(name)],
  );
  expect(
    documented
      .map(([, name, type, names, text]) => [name, type, (names?.match(/\w+/g) ?? []).sort(), text])
      .sort(),
  ).toEqual(actual.sort());
});

it('every alert says what is wrong and what to do', () => {
  const complete = {
    alert: expect.stringMatching(/^Keyward[A-Z]/),
    expr: expect.any(String),
    for: expect.stringMatching(/^\d+m$/),
    labels: { severity: expect.stringMatching(/^(critical|warning)$/) },
    annotations: { summary: expect.any(String), action: expect.any(String) },
  };
  expect(rules).toEqual(rules.map(() => complete));
});
