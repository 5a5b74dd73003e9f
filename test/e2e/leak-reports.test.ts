import { expect, it, vi } from 'vitest';
import { createTemporaryFolder, startProcess } from '../support/process.ts';
import { createSigningKey, matchOf, startScanner } from '../support/scanner.ts';

it('accepts reports signed with the fetched keys, and deactivates the key', async () => {
  await using scanner = await startScanner();
  await using folder = await createTemporaryFolder();
  await using service = await startProcess(folder.path, {
    API_KEY_PREFIX: 'acme_',
    LEAKED_KEYS: 'end',
    LEAK_REPORT_KEYS_URL: scanner.url,
  });
  await vi.waitFor(() => expect(scanner.reads).toBe(1), { timeout: 20_000 });
  // What is to be registered where keys are looked for.
  expect(service.output.stdout).toContain(
    String.raw`"act":"end","path":"/api/v1/keys/leaks","pattern":"acme_[a-z0-9]{6}\\.[0-9a-f]{64}"`,
  );
  const call = (method: string, path: string, headers: Record<string, string>, body?: BodyInit) =>
    fetch(`${service.url}/api/v1${path}`, {
      ...{ method, headers },
      ...(body !== undefined && { body, duplex: 'half' }),
    } as RequestInit);
  const json = { 'content-type': 'application/json' };
  const token = { authorization: `Bearer ${await service.token('alice')}` };
  const { key } = await (await call('POST', '/auth/keys', { ...token, ...json }, '{}')).json();
  expect(key).toMatch(/^acme_/);
  const itself = async () => (await call('GET', '/keys/self', { 'x-api-key': key })).status;
  expect(await itself()).toBe(200);
  const forged = scanner.report([matchOf(key)], createSigningKey('first'));
  expect((await call('POST', '/keys/leaks', forged.headers, forged.body)).status).toBe(403);
  expect(await itself()).toBe(200);
  const { headers, body } = scanner.report([matchOf(key)]);
  // In pieces, as a proxy may send it on.
  const pieces = new Blob([body]).stream();
  const answer = await call('POST', '/keys/leaks', headers, pieces);
  expect([answer.status, await answer.json()]).toMatchObject([200, [{ label: 'true_positive' }]]);
  expect(await itself()).toBe(401);
  expect(scanner.reads).toBe(1);
  expect(service.output.stdout).not.toContain(key);
});

it('starts if the keys cannot be fetched, logs it, and answers reports with 503 until they can', async () => {
  await using scanner = await startScanner();
  scanner.answer = (_request, response) => response.writeHead(500).end();
  await using folder = await createTemporaryFolder();
  await using service = await startProcess(folder.path, {
    LEAKED_KEYS: 'mark',
    LEAK_REPORT_KEYS_URL: scanner.url,
  });
  await vi.waitFor(
    () => expect(service.output.stdout).toContain('could not read the keys of leak reports; will retry'),
    {
      timeout: 20_000,
    },
  );
  const report = () => {
    const { headers, body } = scanner.report([]);
    return fetch(`${service.url}/api/v1/keys/leaks`, { method: 'POST', headers, body });
  };
  const refused = await report();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  scanner.answer = scanner.publish;
  await vi.waitFor(async () => expect((await report()).status).toBe(200), {
    ...{ timeout: 20_000, interval: 200 },
  });
  // The log is written after the answer.
  await vi.waitFor(
    () => expect(service.output.stdout).toContain('reading the keys of leak reports again'),
    20_000,
  );
});
