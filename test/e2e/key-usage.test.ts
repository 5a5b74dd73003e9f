import { expect, it } from 'vitest';
import { startKeyService } from '../support/key-service.ts';
import { createTemporaryFolder } from '../support/process.ts';
import { queryFile } from '../support/sqlite-service.ts';

it('writes at SIGTERM when and how often keys were used', async () => {
  await using folder = await createTemporaryFolder();
  await using running = await startKeyService(folder.path);
  const { service, key } = running;
  const query = queryFile(service.databaseFile);
  const lastUsed = async () => (await query('select last_used_at from api_key'))[0]?.['last_used_at'];

  const before = Date.now();
  const answer = await fetch(`${service.url}/api/v1/keys/authorize`, {
    headers: { 'x-api-key': key.secret },
  });
  expect(answer.status).toBe(200);
  const after = Date.now();
  expect(await lastUsed()).toBeNull();
  const used = () => query('select outcome, count from api_key_use');
  expect(await used()).toEqual([]);
  service.signal('SIGTERM');
  expect(await service.ended).toMatchObject({ code: 0, stderr: '' });
  expect(await lastUsed()).toBeGreaterThanOrEqual(before);
  expect(await lastUsed()).toBeLessThanOrEqual(after);
  expect(await used()).toEqual([{ outcome: 'valid', count: 1 }]);
});
