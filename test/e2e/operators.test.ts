import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load-config.ts';
import { createTemporaryFolder, root, runCommand } from '../support/process.ts';
import { canRun } from '../support/programs.ts';

const read = (name: string) => readFileSync(join(root, name), 'utf8');

/** The first shell block of a section of docs/operators.md. */
const blockOf = (title: string): string => {
  const [, section = ''] = read('docs/operators.md').split(`\n## ${title}\n`);
  return /```sh\n(.*?)```/s.exec(section)?.[1] ?? '';
};

/** The secrets in files, made as documented. */
async function makeSecrets(folder: string) {
  const makeMore = blockOf('To try it: Compose').replace(/^docker .*\n/m, '');
  const { code, stderr } = await runCommand(['sh', '-ec', blockOf('Secrets') + makeMore], {
    cwd: folder,
    env: {},
  });
  expect([code, stderr.includes('rror')]).toEqual([0, false]);
}

/** Whether the documented commands can be run. */
const runs = canRun('openssl', 'the documented secrets are not made', ['version']);

it.runIf(runs)('the documented secrets are accepted, and compose.yaml mounts them', async () => {
  await using folder = await createTemporaryFolder();
  await makeSecrets(folder.path);
  const { services, secrets } = parse(read('compose.yaml'), { merge: true });
  for (const { file } of Object.values<{ file: string }>(secrets))
    expect(readFileSync(join(folder.path, file), 'utf8')).toMatch(/\S/);
  const environment = Object.entries<string>(services.keyward.environment).map(([name, value]) => [
    name,
    value.replace('/run/secrets', join(folder.path, 'secrets')),
  ]);
  const { database } = loadConfig({ NODE_ENV: 'production', ...Object.fromEntries(environment) });
  const password = readFileSync(join(folder.path, 'secrets/postgres-password'), 'utf8').trim();
  expect(database.url).toBe(`postgres://keyward:${password}@postgres/keyward`);
});

it.runIf(runs)('the documented environment of the systemd unit is accepted, beside the secrets', async () => {
  await using folder = await createTemporaryFolder();
  await makeSecrets(folder.path);
  const [, text = ''] = /<<END\n(.*?)END\n/s.exec(blockOf('With systemd')) ?? [];
  const files = { KEY_PEPPERS_FILE: 'key-peppers', KEY_ENCRYPTION_KEYS_FILE: 'key-encryption-keys' };
  const mounted = Object.entries(files).map(([name, file]) => [name, join(folder.path, 'secrets', file)]);
  const given = { NODE_ENV: 'production', ...parseEnv(text), ...Object.fromEntries(mounted) };
  expect(loadConfig(given).issuers).toMatchObject([{ audiences: ['keyward'] }]);
});
