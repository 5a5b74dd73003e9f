import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../support/exact-client.ts';
import { createTemporaryFolder, startProcess } from '../support/process.ts';

const path = '/api/v1/keys/authorize';

describe('a path that a proxy appends, as Envoy does', () => {
  const stack = new AsyncDisposableStack();
  let url: string;

  beforeAll(async () => {
    const folder = stack.use(await createTemporaryFolder());
    ({ url } = stack.use(await startProcess(folder.path)));
  }, 30_000);
  afterAll(() => stack.disposeAsync());

  // Each of these answers 200 to anybody, and 200 would let a request without a key pass.
  it.each(['/health/live', '/health/ready', '/api/v1/openapi.json', '/graphql?query=%7B__typename%7D'])(
    'leads nowhere else: %s',
    async (open) => {
      expect((await send(url, { target: open })).status).toBe(200);
      const ups = ['/..', '/%2e%2e', '/.%2E', '/..%2f..', '\\..', '/.', '/', ''];
      for (const up of ups) {
        const answer = await send(url, { target: `${path}${up.repeat(4)}${open}` });
        expect([up, answer.status]).toEqual([up, expect.toBeOneOf([400, 401])]);
      }
    },
  );
});
