import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startKeyService } from '../support/key-service.ts';
import { createTemporaryFolder, runCommand } from '../support/process.ts';
import { canRun } from '../support/programs.ts';

const hasBindfs = canRun(
  'bindfs',
  'no file system goes away',
  ['-c', 'bindfs --version && test -w /dev/fuse'],
  'sh',
);

/** More keys than SQLite has in its cache of 2 MB. */
const others = Array.from({ length: 1500 }, (_, index) => ({
  metadata: JSON.stringify({ index, text: 'x'.repeat(2000) }),
}));

it.runIf(hasBindfs)('SQLite on a file system that goes away: known keys are accepted', async () => {
  await using folder = await createTemporaryFolder();
  const [source, data] = [join(folder.path, 'source'), join(folder.path, 'data')];
  await mkdir(source);
  await mkdir(data);
  // In the foreground, so that it can be killed.
  const mount = spawn('bindfs', ['-f', source, data], { stdio: 'ignore' });
  const ended = once(mount, 'close');
  await delay(1000);
  try {
    const env = { DOOR_GRACE_SECONDS: '60', LOG_LEVEL: 'warn' };
    await using started = await startKeyService(folder.path, env, others);
    const { service, key } = started;
    const ask = async (secret: string) => {
      const headers = { 'x-api-key': secret };
      return (await fetch(`${service.url}/api/v1/keys/authorize`, { headers })).status;
    };
    expect(await ask(key.secret)).toBe(200);
    mount.kill('SIGKILL');
    await ended;
    const unknown: number[] = [];
    for (const { secret } of started.others.filter((_, index) => index % 30 === 0)) {
      unknown.push(await ask(secret));
      expect(await ask(key.secret)).toBe(200);
    }
    expect(new Set(unknown)).toContain(503);
    expect(service.output.stdout).toContain('the database is away');
  } finally {
    await runCommand(['fusermount', '-uz', data], { cwd: folder.path, env: {} });
  }
});
