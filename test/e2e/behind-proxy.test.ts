import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../support/exact-client.ts';
import { documentedCaddy, documentedHaproxy, documentedNginx } from '../support/forward-auth-recipes.ts';
import { startKeyService } from '../support/key-service.ts';
import { createTemporaryFolder, freePort, root } from '../support/process.ts';
import { startProxy } from '../support/proxy-process.ts';

const example = join(root, 'examples/typescript/behind-proxy.ts');

describe.each([documentedNginx, documentedCaddy, documentedHaproxy])(
  'the example of an API behind $name',
  (proxy) => {
    const stack = new AsyncDisposableStack();
    /** The proxy as documented, and one whose rule is for another path. */
    let urls: { whole: string; lacking: string };
    let secrets: Record<'having' | 'reading' | 'writing' | 'without', string>;

    beforeAll(async () => {
      if (!proxy.isRun) return;
      const folder = stack.use(await createTemporaryFolder());
      const keys = stack.use(
        await startKeyService(folder.path, {}, [
          { permissions: '["documents.*"]' },
          { permissions: '["documents.read"]' },
          { permissions: '["documents.write"]' },
        ]),
      );
      const [having = '', reading = '', writing = ''] = keys.others.map(({ secret }) => secret);
      secrets = { having, reading, writing, without: keys.key.secret };
      const api = await freePort();
      const url = `http://127.0.0.1:${api}`;
      stack.use(await startProxy(process.execPath, [example], folder.path, url, { PORT: `${api}` }));
      const startBefore = async (guarded: string) => {
        const own = stack.use(await createTemporaryFolder());
        return stack.use(await proxy.start(own.path, { keyward: keys.service.port, api, guarded })).url;
      };
      urls = { whole: await startBefore('/documents'), lacking: await startBefore('/papers') };
    }, 30_000);
    afterAll(() => stack.disposeAsync());

    const ask = async (url: string, secret: string, target: string, said: string[] = [], method = 'GET') => {
      const forged = said.map((name) => [name, 'documents.read'] as const);
      const headers = [['X-API-Key', secret] as const, ...forged];
      const { status, body } = await send(url, { method, target, headers });
      return [status, status === 200 ? body : ''];
    };
    const account = [200, '{"user_id":1}\n'];

    it.runIf(proxy.isRun)('lets keys with the permission through, and paths that need none', async () => {
      expect(await ask(urls.whole, secrets.having, '/documents/5')).toEqual(account);
      expect(await ask(urls.whole, secrets.having, '/profile')).toEqual(account);
      expect(await ask(urls.whole, secrets.without, '/profile')).toEqual(account);
      expect(await ask(urls.whole, secrets.without, '/documents/5')).toEqual([403, '']);
    });

    it.runIf(proxy.isRun)('requires one permission to read and another to write', async () => {
      const statuses = async (secret: string) => {
        const read = await ask(urls.whole, secret, '/documents/5');
        const write = await ask(urls.whole, secret, '/documents/5', [], 'POST');
        return [read[0], write[0]];
      };
      expect(await statuses(secrets.reading)).toEqual([200, 403]);
      expect(await statuses(secrets.writing)).toEqual([403, 200]);
      expect(await statuses(secrets.having)).toEqual([200, 200]);
      expect((await ask(urls.whole, secrets.having, '/documents/5', [], 'DELETE'))[0]).toBe(405);
    });

    it.runIf(proxy.isRun)(
      'refuses everybody where the proxy has lost the rule, whatever they say',
      async () => {
        const spellings = ['X-Keyward-Permissions', 'x_keyward_permissions', 'X-Keyward-Require'];
        for (const secret of [secrets.having, secrets.without]) {
          expect(await ask(urls.lacking, secret, '/documents/5')).toEqual([403, '']);
          expect(await ask(urls.lacking, secret, '/documents/5', spellings)).toEqual([403, '']);
          expect(await ask(urls.lacking, secret, '/profile')).toEqual(account);
        }
      },
    );
  },
);
