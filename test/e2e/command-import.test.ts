import { link, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foreignKey, sha256 } from '../support/imports.ts';
import { createTemporaryFolder, root, runCommand, runScript, startProcess } from '../support/process.ts';
import { secretText, secretVariables } from '../support/secrets.ts';
import { queryFile } from '../support/sqlite-service.ts';
import { runTransfer, startTransfer } from '../support/transfer-commands.ts';

const provider = { AUTH_ISSUER: 'https://id.example.com', AUTH_AUDIENCE: 'keyward' };

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let env: Record<string, string>;
let file: string;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  env = { DATA_DIR: join(folder.path, 'data'), ...secretVariables() };
  file = join(folder.path, 'keys.jsonl');
});
afterEach(() => folder[Symbol.asyncDispose]());

const migrate = () => runScript('dist/server/migrate.js', [], { cwd: folder.path, env });
const lineOf = (key: string, values: object = {}) =>
  `${JSON.stringify({ issuer: 'https://id.example.com', subject: 'alice', key_prefix: key.slice(0, 10), sha256: sha256(key), ...values })}\n`;
const move = (
  command: 'import' | 'export',
  args: readonly string[],
  more = {},
  lines: readonly string[] = [],
) => runTransfer(command, args, { cwd: folder.path, env: { ...env, ...more }, lines });
const count = async (what = 'api_key') =>
  Number(
    (await queryFile(join(folder.path, 'data', 'keyward.db'))(`select count(*) as n from ${what}`))[0]?.['n'],
  );
/** Refused in words, and so without a stack. */
const refusal = (code: number, message: RegExp) => ({
  code,
  stdout: '',
  stderr: expect.stringMatching(
    new RegExp(`^(?:Keyward cannot start with this configuration:\n {2})?${message.source}\n$`),
  ),
});

describe('keys:import', () => {
  it('works while the service is running and in use', async () => {
    await using service = await startProcess(folder.path, env);
    const headers = {
      authorization: `Bearer ${await service.token('alice')}`,
      'content-type': 'application/json',
    };
    const keys = Array.from({ length: 3000 }, foreignKey);
    await writeFile(file, keys.map((key, index) => lineOf(key, { subject: `user-${index % 50}` })).join(''));
    const ended = move('import', [file]);
    const create = () => fetch(`${service.url}/api/v1/auth/keys`, { method: 'POST', headers, body: '{}' });
    const statuses = new Set<number>();
    for (let index = 0; index < 20; index += 1) statuses.add((await create()).status);
    expect([...statuses]).toEqual([201]);
    expect(await ended).toMatchObject({
      code: 0,
      stdout: 'imported: 3000, here already: 0, refused: 0\n',
      stderr: '',
    });
    const authorize = async (key: string) =>
      (await fetch(`${service.url}/api/v1/keys/authorize`, { headers: { 'x-api-key': key } })).status;
    while ((await authorize(keys[0] ?? '')) !== 200) await delay(100);
    expect(await Promise.all(keys.slice(-100).map(authorize))).toEqual(Array(100).fill(200));
    expect(await authorize(foreignKey())).toBe(401);
    service.signal('SIGTERM');
    expect((await service.ended).code).toBe(0);
  });

  it('reads a pipe, reports each refused line, and imports the others', async () => {
    await migrate();
    const [one, other] = [foreignKey(), foreignKey()];
    const elsewhere = { issuer: 'https://id.example.com/' };
    const lines = [
      lineOf(one),
      `{"key": "${one}"\n`,
      '\n',
      lineOf(foreignKey(), elsewhere),
      lineOf(other, { sha256: undefined, key: other }),
    ];
    const ended = await move('import', ['-'], provider, lines);
    expect(ended).toMatchObject({
      code: 1,
      stdout: 'imported: 2, here already: 0, refused: 2\n',
      stderr: 'line 2: Is no JSON.\nline 4: issuer: Must be an issuer in AUTH_ISSUER or AUTH_ISSUERS.\n',
    });
    expect(await move('import', ['-'], provider, [lineOf(one), lineOf(other)])).toMatchObject({
      code: 0,
      stdout: 'imported: 0, here already: 2, refused: 0\n',
    });
  });

  it('writes nothing with --dry-run', async () => {
    await migrate();
    const lines = [lineOf(foreignKey()), lineOf(foreignKey()), 'x\n'];
    expect(await move('import', ['-', '--dry-run'], {}, lines)).toMatchObject({
      code: 1,
      stdout: 'would be imported: 2, here already: 0, refused: 1\n',
      stderr: 'line 3: Is no JSON.\n',
    });
    expect([await count(), await count('account'), await count('imported_form')]).toEqual([0, 0, 0]);
  });

  it('--try says whether a key would be accepted, and writes nothing', async () => {
    await migrate();
    const key = foreignKey();
    const part = lineOf('', { key_prefix: 'acme_live_', sha256: sha256(key.slice('acme_live_'.length)) });
    await writeFile(file, `${lineOf(foreignKey())}${part}`);
    const attempt = (tried: string) => move('import', [file, '--try', tried]);
    expect(await attempt(key)).toMatchObject({
      code: 1,
      stdout:
        'refused: line 2: its hash is of the last 40 characters of this key: it needs "key_prefix":"acme_live_","hashed_part":{"after":"_"}\n',
      stderr: '',
    });
    await writeFile(file, `x\n${part.replace('}', ', "hashed_part": {"after": "_"}}')}`);
    expect(await attempt(key)).toMatchObject({
      code: 0,
      stdout: 'accepted: line 2 is this key\n',
      stderr: '',
    });
    expect(await attempt(foreignKey())).toMatchObject({
      code: 1,
      stdout: 'refused: no line has a hash of this key or of a part of it\n',
    });
    expect([await count(), await count('account'), await count('imported_form')]).toEqual([0, 0, 0]);
    await move('import', [file]);
    expect(await attempt(key)).toMatchObject({ code: 0, stdout: 'accepted: it is here already: key 1\n' });
    expect(await move('import', [file, '--try'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('can be killed at any moment and run again', async () => {
    await migrate();
    const lines = Array.from({ length: 6000 }, (_, index) =>
      lineOf(foreignKey(), { subject: `user-${index % 99}` }),
    );
    for (const least of [1, 2000]) {
      await using running = startTransfer('import', ['-'], { cwd: folder.path, env, lines });
      while ((await count()) < least) await delay(5);
      await running.kill();
      expect(await count('api_key_secret')).toBe(await count());
      expect(await count('api_key where is_default')).toBe(await count('account'));
    }
    const before = await count();
    expect(await move('import', ['-'], {}, lines)).toMatchObject({
      code: 0,
      stdout: `imported: ${6000 - before}, here already: ${before}, refused: 0\n`,
    });
    expect([await count(), await count('account')]).toEqual([6000, 99]);
  });

  it.runIf(process.platform === 'linux')(
    'shows a progress bar in a terminal, and reports lines without breaking it',
    async () => {
      await migrate();
      await writeFile(file, [...Array.from({ length: 4000 }, () => lineOf(foreignKey())), 'x\n'].join(''));
      const command = `'${process.execPath}' '${join(root, 'dist/server/import.js')}' '${file}'`;
      const { stdout } = await runCommand(
        ['script', '--quiet', '--return', '--command', command, '/dev/null'],
        {
          cwd: folder.path,
          env,
          timeout: 25_000,
        },
      );
      expect(stripVTControlCharacters(stdout)).toMatch(/█+░+ \d+ %, [\d,]+ lines/);
      const left = stdout.split('\n').map((line) => line.split('\r\x1b[2K').at(-1));
      expect(left.join('\n')).toBe(
        'line 4001: Is no JSON.\r\nimported: 4000, here already: 0, refused: 1\r\n',
      );
    },
  );

  it('says why it cannot start', async () => {
    const run = (more: Record<string, string> = {}, name = file) => move('import', [name], more);
    expect(await run()).toMatchObject(
      refusal(1, /DATABASE_URL \(or DATA_DIR\) names \S+, which is not there: start Keyward once/),
    );
    expect(await readdir(folder.path)).toEqual([]);
    await migrate();
    expect(await run()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^\S+keys\.jsonl does not exist \(ENOENT\)\.\n$/),
    });
    expect(await run({}, folder.path)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^\S+ is a folder, not a file\.\n$/),
    });
    await writeFile(file, '');
    expect(await run()).toMatchObject({ code: 0, stdout: 'imported: 0, here already: 0, refused: 0\n' });
    expect(await run({ KEY_PEPPERS: '', KEY_ENCRYPTION_KEYS: '' })).toMatchObject(
      refusal(1, /KEY_PEPPERS and KEY_ENCRYPTION_KEYS must be set to the values of the service/),
    );
    expect(await run({ DATABASE_URL: 'postgres://127.0.0.1:9/keyward' })).toMatchObject({
      code: 75,
      stdout: '',
    });
    await writeFile(file, lineOf(foreignKey()));
    await run();
    const others = { ...secretVariables(), KEY_PEPPERS: secretText([2]) };
    expect((await run(others)).stderr).toContain('KEY_PEPPERS has no version 1');
    await link(join(folder.path, 'data', 'keyward.db'), join(folder.path, 'other.db'));
    expect(await run()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has 2 names (hard links)'),
    });
  });
});

describe('keys:export', () => {
  it('writes a new file that only its owner can read', async () => {
    await migrate();
    const keys = [foreignKey(), foreignKey()];
    await move(
      'import',
      ['-'],
      {},
      keys.map((key) => lineOf(key)),
    );
    expect(await move('export', [file])).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const text = await readFile(file, 'utf8');
    expect(
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { subject: 'alice', key_prefix: keys[0]?.slice(0, 10), is_active: true },
      { subject: 'alice', key_prefix: keys[1]?.slice(0, 10), is_active: true },
    ]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await move('export', [file])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^\S+keys\.jsonl exists already \(EEXIST\)\.\n$/),
    });
    expect(await readFile(file, 'utf8')).toBe(text);
    expect((await move('export', ['-'])).stdout).toBe(text);
  });

  it('deletes a file that it cannot finish, and creates no database', async () => {
    expect(await move('export', [file])).toMatchObject({ code: 1, stdout: '' });
    expect(await readdir(folder.path)).toEqual([]);
    await migrate();
    await rm(join(folder.path, 'data', 'keyward.db'));
    await writeFile(join(folder.path, 'data', 'keyward.db'), '');
    expect(await move('export', [file])).toMatchObject({ code: 1, stdout: '' });
    expect(await readdir(folder.path)).toEqual(['data']);
  });
});
