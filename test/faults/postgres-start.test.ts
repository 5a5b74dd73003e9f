import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOnServer } from '../support/database.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/postgres-service.ts';
import { createTemporaryFolder, runService, startProcess } from '../support/process.ts';

let postgres: OwnPostgres;
let url: string;
beforeAll(async () => {
  postgres = await startOwnPostgres();
  url = await createOnServer(postgres.url);
});
afterAll(() => postgres?.[Symbol.asyncDispose]());

it('exits with the code for another attempt while PostgreSQL is down, with 1 for a wrong password, and starts once it is up', async () => {
  await using folder = await createTemporaryFolder();
  const env = { DATABASE_URL: url, DATABASE_MIGRATE: 'auto' };
  await postgres.stop();
  expect(await runService(folder.path, { ...env, PORT: '0' })).toEqual({
    code: 75,
    stdout: '',
    stderr: expect.stringMatching(
      /^Keyward cannot start: the PostgreSQL of DATABASE_URL [^\n]*\(ECONNREFUSED\)[^\n]*\n$/,
    ),
  });
  await postgres.start();
  const stranger = Object.assign(new URL(url), { password: 'wrong' }).href;
  expect(await runService(folder.path, { ...env, DATABASE_URL: stranger, PORT: '0' })).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^Keyward cannot start with this configuration:\n[^\n]*\(28P01\)[^\n]*\n$/),
  });
  await using service = await startProcess(folder.path, env);
  expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
});
