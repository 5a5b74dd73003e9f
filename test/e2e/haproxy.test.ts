import { describe, expect, it } from 'vitest';
import { send } from '../support/exact-client.ts';
import { documentedHaproxy } from '../support/forward-auth-recipes.ts';
import { createTemporaryFolder } from '../support/process.ts';
import { startProxiedApi } from '../support/proxied-api.ts';
import { describeDocumentedProxy } from '../support/proxy-suite.ts';

describeDocumentedProxy(documentedHaproxy);

describe.skipIf(!documentedHaproxy.isRun)('the script of HAProxy', () => {
  it('lets nothing pass where it fails: here at an answer that names nobody', async () => {
    await using folder = await createTemporaryFolder();
    using nobody = await startProxiedApi();
    using api = await startProxiedApi();
    await using proxy = await documentedHaproxy.start(folder.path, { keyward: nobody.port, api: api.port });
    expect((await send(proxy.url, { headers: [['X-Keyward-User', '1']] })).status).toBe(503);
    expect(nobody.received.at(-1)).toMatchObject({ target: '/api/v1/keys/authorize' });
    expect(api.received).toEqual([]);
  });
});
