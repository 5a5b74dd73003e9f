import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstCallsIn, type PageSample, samplesIn } from '../support/page-samples.ts';
import { createTemporaryFolder, type Ended, root, runCommand, startProcess } from '../support/process.ts';
import { canRun } from '../support/programs.ts';

const plans = 'default: free\nplans:\n  free: {}\n  pro: {}\n';

/** What comes last: it ends what the others need, from the least to the whole account. */
const last = [
  'deactivateApiKey',
  'deactivateApiKeyItself',
  'deactivateAccountApiKey',
  'removeWebhookEndpoint',
  'eraseAccount',
];

/** What only exists in an example, and the documented status for that. */
const missing: Readonly<Record<string, number>> = {
  endApiKeySecret: 404,
  exchangeToken: 400,
  resendWebhookDelivery: 404,
  webhookDelivery: 404,
};

/** The service with a person who has API keys, and the samples of its API reference. */
async function startWorld() {
  const folder = await createTemporaryFolder();
  await writeFile(join(folder.path, 'plans.yaml'), plans);
  const service = await startProcess(folder.path, { ADMIN: 'on', PLANS_FILE: 'plans.yaml' });
  const page = await (await fetch(`${service.url}/api/v1/docs`)).text();
  const samples = samplesIn(page);
  const [person, operator, server] = await Promise.all([
    service.token('alice', 'openid email profile idp.signin.user.admin'),
    service.token('olga', 'keyward.admin'),
    service.token('server', 'keys.verify keys.import accounts.entitle accounts.act'),
  ]);
  const created = await fetch(`${service.url}/api/v1/auth/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person}`, 'content-type': 'application/json' },
    body: JSON.stringify({ permissions: ['documents.*'] }),
  });
  const { key } = (await created.json()) as { key: string };
  const { paths } = (await (await fetch(`${service.url}/api/v1/openapi.json`)).json()) as Description;
  return { folder, service, page, samples, key, tokens: { person, operator, server }, paths };
}

interface Description {
  readonly paths: Record<
    string,
    Record<string, { operationId: string; security: Record<string, string[]>[] }>
  >;
}

type World = Awaited<ReturnType<typeof startWorld>>;

/** Gives the tests of a group a world of their own. */
function setUpWorld(): { readonly world: World } {
  const here = {} as { world: World };
  beforeAll(async () => {
    here.world = await startWorld();
  });
  afterAll(async () => {
    await here.world?.service[Symbol.asyncDispose]();
    await here.world?.folder[Symbol.asyncDispose]();
  });
  return here;
}

/** The token that an operation needs, by its scopes. */
function tokenFor({ paths, tokens }: World, id: string): string {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const [first] = operations.find(({ operationId }) => operationId === id)?.security ?? [];
  const scopes = Object.values(first ?? {}).flat();
  if (scopes.some((scope) => scope.startsWith('keyward.'))) return tokens.operator;
  return scopes.some((scope) => /^(keys|accounts)\./.test(scope)) ? tokens.server : tokens.person;
}

/** How a sample is run, and the status in what it prints. */
interface Runner {
  readonly language: string;
  readonly isHere: boolean;
  readonly command: (code: string) => readonly string[];
  readonly statusOf: (ended: Ended) => number;
}

const printed = ({ stdout }: Ended) => Number(/^\d{3}/.exec(stdout)?.[0]);

const runners: readonly Runner[] = [
  {
    language: 'curl',
    isHere: canRun('curl', 'the samples for it are not run'),
    // The function adds the status to what the sample prints.
    command: (code) => ['sh', '-c', `curl() { command curl -sS -w '\\n%{http_code}' "$@"; }\n${code}`],
    statusOf: ({ stdout }) => Number(stdout.slice(-3)),
  },
  {
    language: 'typescript',
    isHere: true,
    command: (code) => [process.execPath, '--no-warnings', '--input-type=module-typescript', '-e', code],
    statusOf: printed,
  },
  {
    language: 'python',
    isHere: canRun('python3', 'the samples for it are not run'),
    command: (code) => ['python3', '-c', code],
    statusOf: (ended) => Number(/HTTPError: HTTP Error (\d{3})/.exec(ended.stderr)?.[1] ?? printed(ended)),
  },
];

/** Go compiles each: all samples are checked, and those of the first calls are run. */
const hasGo = canRun('go', 'the samples for it are not checked', ['version']);

const rank = ({ id }: PageSample) => last.indexOf(id);

describe.each(runners.filter(({ isHere }) => isHere))('the samples in $language', (runner) => {
  const here = setUpWorld();

  it('do as they say, in order, for every operation', { timeout: 120_000 }, async () => {
    const { world } = here;
    const samples = world.samples
      .filter(({ language }) => language === runner.language)
      .toSorted((one, other) => rank(one) - rank(other));
    const operations = Object.values(world.paths).flatMap((methods) => Object.values(methods));
    expect(samples.map(({ id }) => id).toSorted()).toEqual(
      operations.map(({ operationId }) => operationId).toSorted(),
    );
    const outcomes: Record<string, unknown> = {};
    for (const { id, code } of samples) {
      const ended = await runSample(world, id, runner.command(code));
      const status = runner.statusOf(ended);
      const isRight = status === (missing[id] ?? status) && (missing[id] || (status >= 200 && status < 300));
      if (!isRight) outcomes[id] = { status, ...ended };
    }
    expect(outcomes).toEqual({});
  });
});

const environment = (world: World, id: string) => ({
  ACCESS_TOKEN: tokenFor(world, id),
  // A key that is imported is one of another service, and begins as the example says.
  API_KEY: id === 'importApiKey' ? `acme_live_${'k'.repeat(40)}` : world.key,
  PRIVATE_KEY: '1'.repeat(64),
});

const runSample = (world: World, id: string, command: readonly string[]): Promise<Ended> =>
  runCommand(command, { cwd: root, env: environment(world, id) });

describe.each(hasGo ? ['go'] : [])('the samples in %s', () => {
  const here = setUpWorld();

  it('compile, and do as they say for the first calls', { timeout: 180_000 }, async () => {
    const { world } = here;
    const { path } = world.folder;
    const samples = world.samples.filter(({ language }) => language === 'go');
    await writeFile(join(path, 'go.mod'), 'module samples\n\ngo 1.19\n');
    for (const { id, code } of samples) {
      await mkdir(join(path, 'samples', id), { recursive: true });
      await writeFile(join(path, 'samples', id, 'main.go'), code);
    }
    const run = (args: readonly string[], id = '') =>
      runCommand(['go', ...args], { cwd: path, env: environment(world, id), timeout: 120_000 });
    expect(await run(['vet', './samples/...'])).toEqual({ code: 0, stdout: '', stderr: '' });
    for (const id of ['createApiKey', 'verifyApiKey', 'authorizeApiKey']) {
      const { stdout, stderr } = await run(['run', `./samples/${id}`], id);
      expect([stderr, stdout]).toEqual(['', expect.stringMatching(/^20[01] /)]);
    }
  });
});

const [curl] = runners.filter(({ language, isHere }) => language === 'curl' && isHere);

describe('the samples', () => {
  const here = setUpWorld();

  it('are there in every language, and have no secret', () => {
    const { world } = here;
    const languages = new Map<string, string[]>();
    for (const { id, language } of world.samples) languages.set(id, [...(languages.get(id) ?? []), language]);
    for (const [id, given] of languages) expect(given, id).toEqual(['curl', 'typescript', 'python', 'go']);
    for (const { code, id } of world.samples) expect(code, id).not.toMatch(/sk-[a-z0-9]{6}\.|0x0{8}/);
  });

  it('of the first calls: the created key is valid, and passes the proxy', async () => {
    const { world } = here;
    const [create = '', verify = '', authorize = ''] = firstCallsIn(world.page);
    expect([create, verify, authorize]).toEqual([
      expect.stringContaining('/auth/keys'),
      expect.stringContaining('/keys/verify'),
      expect.stringContaining('/keys/authorize'),
    ]);
    if (!curl) return;
    const run = (id: string, code: string, key = '') =>
      runCommand(curl.command(code), { cwd: root, env: { ...environment(world, id), API_KEY: key } });
    const { stdout } = await run('createApiKey', create);
    const { key } = JSON.parse(stdout.slice(0, stdout.lastIndexOf('\n'))) as { key: string };
    expect((await run('verifyApiKey', verify, key)).stdout).toMatch(/^\{"valid":true,.*\n200$/);
    expect((await run('authorizeApiKey', authorize, key)).stdout).toBe('\n200');
  });
});
