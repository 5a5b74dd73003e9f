import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { documents } from '../support/documents.ts';
import {
  createTemporaryFolder,
  type Ended,
  root,
  runShell,
  type ServiceProcess,
  startProcess,
} from '../support/process.ts';
import { canRun } from '../support/programs.ts';
import { secretVariables } from '../support/secrets.ts';
import { toPattern } from '../support/template.ts';

const page = 'docs/organizations.md';
const source = readFileSync(join(root, page), 'utf8');
const blocks = documents.find(({ path }) => path === page)?.blocks ?? [];

/** The first line of the section with the commands: the blocks before it are settings and code. */
const sectionLine = source.split('\n').indexOf("## From a team's first key to a leaver") + 1;
const lineOf = ({ place }: { readonly place: string }): number => Number(/^line (\d+):/.exec(place)?.[1]);
const section = blocks.filter((block) => lineOf(block) > sectionLine);
const settings = blocks.filter((block) => lineOf(block) < sectionLine && block.language === 'sh');
const commands = section.filter(({ language }) => language === 'sh');

/** What a shell makes of assignments. */
async function variablesOf(assignments: string): Promise<Record<string, string>> {
  const { code, stdout, stderr } = await runShell(`set -aeu\n${assignments}\nenv -0`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const entries = stdout.split('\0').map((entry) => /^(AUTH_\w+)=(.*)$/s.exec(entry) ?? []);
  return Object.fromEntries(entries.flatMap(([, name, value]) => (name && value ? [[name, value]] : [])));
}

describe('the settings in the document', () => {
  it('are two blocks, and the rest is the commands and the code of better-auth', () => {
    expect(settings).toHaveLength(2);
    const code = blocks.filter(({ language }) => language === 'js');
    expect(settings.length + code.length + section.length).toBe(blocks.length);
  });

  it.each(settings)('are valid in production: $place', async ({ text }) => {
    const given = await variablesOf(text);
    const issuer = { AUTH_ISSUER: 'https://id.example.com', AUTH_AUDIENCE: 'keyward' };
    const config = loadConfig({ NODE_ENV: 'production', ...secretVariables(), ...issuer, ...given });
    expect(config.issuers.map(({ organization }) => organization?.claim)).toEqual(['organizations']);
  });
});

/** The lines that the document says a command prints; undefined if it shows none. */
const printedAfter = (command: (typeof section)[number]): string | undefined => {
  const next = section[section.indexOf(command) + 1];
  return next?.language === 'text' ? next.text.trimEnd() : undefined;
};

describe.runIf(canRun('curl', `the commands of ${page} are not run`))('the commands in the document', () => {
  const stack = new AsyncDisposableStack();
  let service: ServiceProcess;
  let ended: Ended;
  let printed: readonly string[];
  /** The variables of the shell after the last command. */
  let variables: Record<string, string>;

  beforeAll(async () => {
    const { path } = stack.use(await createTemporaryFolder());
    service = stack.use(await startProcess(path));
    const { url, port, dataDir } = service;
    const run = commands.flatMap(({ text }) => [
      text.replaceAll('http://127.0.0.1:4000', url),
      "printf '\\0'",
    ]);
    const script = ['set -eu', ...run, `printf '%s\\0' "$TOKEN" "$BOB" "$KEY"`].join('\n');
    ended = await runShell(script, { env: { PORT: `${port}`, DATA_DIR: dataDir }, timeout: 50_000 });
    printed = ended.stdout.split('\0');
    const [token = '', bob = '', key = ''] = printed.slice(commands.length);
    variables = { token, bob, key };
  }, 80_000);
  afterAll(() => stack.disposeAsync());

  /** What a command printed, as JSON. */
  const answerOf = (beginning: string) => {
    const at = commands.findIndex(({ text }) => text.includes(beginning));
    expect(at, beginning).not.toBe(-1);
    return JSON.parse(printed[at] ?? '');
  };

  it('all succeed', () => {
    expect({ ...ended, stdout: '' }).toMatchObject({ code: 0 });
    expect(commands).toHaveLength(7);
  });

  it.each(commands)('print what it says: $place', (command) => {
    const text = printed[commands.indexOf(command)]?.trimEnd();
    const shown = printedAfter(command);
    if (shown === undefined) expect(text).toBe('');
    else expect(text).toMatch(toPattern(shown));
  });

  it('list the person and the organisation as two accounts', () => {
    const accounts = answerOf('/auth/accounts');
    expect(new Set(accounts.map(({ user_id }: { user_id: unknown }) => user_id)).size).toBe(2);
  });

  it('make one key, which verifies after its maker has left', async () => {
    expect(variables['key']).toMatch(/^sk-/);
    const keys = answerOf('subject bob');
    expect(keys.map(({ name }: { name: string }) => name)).toEqual(['Billing']);
    const answer = await fetch(`${service.url}/api/v1/keys/verify`, {
      method: 'POST',
      headers: { authorization: 'Bearer kws_development', 'content-type': 'application/json' },
      body: JSON.stringify({ key: variables['key'] }),
    });
    expect(await answer.json()).toMatchObject({ valid: true, key_id: keys[0].id, organization_id: 'acme' });
  });

  it('leave the leaver without the organisation, and Bob without a way to change it', async () => {
    const call = async (token = '', organization?: string, body?: object) => {
      const answer = await fetch(`${service.url}/api/v1/auth/keys`, {
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          ...(organization !== undefined && { 'keyward-organization': organization }),
        },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
      return answer.status;
    };
    const { token, bob } = variables;
    expect(await call(token, 'acme', { name: 'Mine' })).toBe(404);
    expect(await call(token)).toBe(200);
    expect(await call(bob, 'acme', { name: 'Shop' })).toBe(403);
    expect(await call(bob, 'acme')).toBe(200);
    expect(await call(bob, 'globex')).toBe(404);
  });
});
