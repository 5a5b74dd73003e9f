import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTemporaryFolder, root, runCommand, startProcess } from '../support/process.ts';
import { registryAccess } from '../support/registry-access.ts';

/** npm has these packages for Linux on x64 alone. */
const runs = process.platform === 'linux' && process.arch === 'x64';

if (!runs)
  process.stderr.write(
    '\n*** The tests on other versions of Node are skipped: they need Linux on x64. ***\n\n',
  );

describe.skipIf(!runs)('with another version of Node', () => {
  let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
  const nodeOf = (name: string) => join(folder.path, `node_modules/${name}/bin/node`);
  const version = async (name: string) =>
    (await runCommand([nodeOf(name), '--version'], { cwd: folder.path, env: {} })).stdout.trim();

  beforeAll(async () => {
    folder = await createTemporaryFolder();
    for (const file of ['package.json', 'package-lock.json'])
      await copyFile(join(root, 'test/support/nodes', file), join(folder.path, file));
    const install = { cwd: folder.path, env: registryAccess(), timeout: 110_000 };
    expect(await runCommand(['npm', 'ci', '--ignore-scripts'], install)).toMatchObject({ code: 0 });
  }, 120_000);
  afterAll(() => folder[Symbol.asyncDispose]());

  it('works with the oldest version in package.json', async () => {
    const { engines } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect(await version('oldest')).toBe(`${engines.node.replace('>=', 'v')}.0.0`);
    const command = [nodeOf('oldest'), join(root, 'dist/server/main.js')];
    await using service = await startProcess(folder.path, {}, 20_000, command);
    const made = await fetch(`${service.url}/api/v1/auth/keys`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await service.token('alice')}`,
        'content-type': 'application/json',
      },
      body: '{}',
    });
    expect(made.status).toBe(201);
    service.signal('SIGTERM');
    expect((await service.ended).code).toBe(0);
  });

  it.each(['main', 'migrate', 'backup', 'rewrap', 'import', 'export', 'end'])(
    '%s refuses an older one in one line',
    async (script) => {
      const command = [nodeOf('too-old'), join(root, `dist/server/${script}.js`)];
      expect(await runCommand(command, { cwd: folder.path, env: {} })).toEqual({
        code: 1,
        stdout: '',
        stderr: `Keyward needs Node 24 or later. This is Node ${(await version('too-old')).slice(1)}.\n`,
      });
    },
  );
});
