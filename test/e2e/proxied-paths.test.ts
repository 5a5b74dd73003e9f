import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askPathReaders } from '../support/ask-path-readers.ts';
import { documentedCaddy, documentedHaproxy, documentedNginx } from '../support/forward-auth-recipes.ts';
import { startKeyService } from '../support/key-service.ts';
import { readers, startPathReaders } from '../support/path-readers.ts';
import { guardedSpellings, ordinaryGuarded, ordinaryUnguarded } from '../support/path-spellings.ts';
import { createTemporaryFolder } from '../support/process.ts';

describe.each([documentedNginx, documentedCaddy, documentedHaproxy])(
  '$name, configured as documented, before six applications',
  (proxy) => {
    const stack = new AsyncDisposableStack();
    let url: string;
    let apps: Awaited<ReturnType<typeof startPathReaders>>;
    let without: string;
    let having: string;

    beforeAll(async () => {
      if (!proxy.isRun) return;
      const folder = stack.use(await createTemporaryFolder());
      apps = stack.use(await startPathReaders());
      const keys = stack.use(await startKeyService(folder.path, {}, [{ permissions: '["documents.read"]' }]));
      without = keys.key.secret;
      having = keys.others[0]?.secret ?? '';
      ({ url } = stack.use(await proxy.start(folder.path, { keyward: keys.service.port, api: apps.port })));
    }, 30_000);
    afterAll(() => stack.disposeAsync());

    it.runIf(proxy.isRun)(
      'lets nobody reach a guarded route without its permission, however its path is spelled',
      async () => {
        const direct = await askPathReaders(apps.url, guardedSpellings, without);
        const reaching = direct.filter(({ route }) => route === 'documents').length;
        // Or else the spellings are no attack.
        expect(reaching).toBeGreaterThan(1386);
        const outcomes = await askPathReaders(url, guardedSpellings, without);
        const count = (status: number) => outcomes.filter((outcome) => outcome.status === status).length;
        process.stdout.write(
          `${proxy.name}: ${outcomes.length} requests, ${reaching} of which would reach it: ${count(400)} are 400, ${count(403)} are 403\n`,
        );
        expect(outcomes.filter(({ route }) => route === 'documents')).toEqual([]);
      },
      60_000,
    );

    it.runIf(proxy.isRun)(
      'tells the application of the permission wherever it reaches a guarded route with it, and nowhere else',
      async () => {
        const outcomes = await askPathReaders(url, [...guardedSpellings, ...ordinaryGuarded], having);
        const reached = outcomes.filter(({ route }) => route === 'documents');
        expect(reached.length).toBeGreaterThan(readers.length * ordinaryGuarded.length);
        expect(reached.filter(({ permissions }) => permissions !== 'documents.read')).toEqual([]);
      },
      60_000,
    );

    it.runIf(proxy.isRun)('lets every ordinary path through, unchanged', async () => {
      const ordinary = [...ordinaryGuarded, ...ordinaryUnguarded];
      const direct = await askPathReaders(apps.url, ordinary, having);
      const through = await askPathReaders(url, ordinary, having);
      const told = direct.map((outcome) =>
        outcome.route === 'documents' ? { ...outcome, permissions: 'documents.read' } : outcome,
      );
      const differing = through.filter((outcome, index) => !isDeepStrictEqual(outcome, told[index]));
      expect(differing).toEqual([]);
    });

    it.runIf(proxy.isRun)(
      'hands on the path that it looked at where a client sends a whole URL',
      async () => {
        const targets = ['/v1/a?q=http://x/', '/documents/5', '/'];
        const asked = targets.map((target) => `http://HOST${target}`);
        const through = await askPathReaders(url, asked, having);
        expect(through.map(({ target }) => target)).toEqual(readers.flatMap(() => targets));
      },
    );

    it.runIf(proxy.isRun)('requires the permission only on its path', async () => {
      const direct = await askPathReaders(apps.url, ordinaryUnguarded, without);
      const through = await askPathReaders(url, ordinaryUnguarded, without);
      expect(through.filter((outcome, index) => !isDeepStrictEqual(outcome, direct[index]))).toEqual([]);
      const guarded = await askPathReaders(url, ordinaryGuarded, without);
      expect(guarded.filter(({ status }) => status !== 403)).toEqual([]);
    });
  },
);
