import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTemporaryFolder, root, runCommand } from '../support/process.ts';
import { canRun } from '../support/programs.ts';

const program = '/usr/bin/systemd-analyze';
const runs = canRun('systemd-analyze', 'the systemd unit is not analysed', undefined, program);

/** What systemd-analyze says of the unit, in which the project is where these tests have it. */
async function analyze(...args: readonly string[]) {
  await using folder = await createTemporaryFolder();
  const unit = await readFile(join(root, 'deploy/keyward.service'), 'utf8');
  const file = join(folder.path, 'keyward.service');
  await writeFile(file, unit.replaceAll('/opt/keyward', root));
  return await runCommand([program, ...args, file], { cwd: folder.path, env: {} });
}

describe.skipIf(!runs)('the systemd unit', () => {
  it('has no errors', async () => {
    expect(await analyze('verify', '--man=no')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('gives the service no more rights than it needs', async () => {
    // Out of 100. What is left is the network, the file system to read, and code made while it runs.
    const { code, stdout } = await analyze('security', '--offline=true', '--threshold=13', '--no-pager');
    expect(code, stdout).toBe(0);
  });
});
