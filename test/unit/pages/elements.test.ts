import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../../support/gateway.ts';
import { startIssuer, type TestIssuer } from '../../support/issuer.ts';

let issuer: TestIssuer;
let gateway: TestGateway;
beforeAll(async () => {
  issuer = await startIssuer();
  gateway = await createTestGateway(issuer, { pages: { shown: ['console'], signIn: undefined } });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});

const describeElements = async () => {
  const { text } = await gateway.fetch('GET', '/elements/keyward.json');
  return JSON.parse(text) as { module: string; integrity: Record<string, string>; settings: object };
};

describe('the elements for pages of other origins', () => {
  it.each(['/elements/keyward.js', '/elements/keyward.json'])(
    'any page may load %s, and asks each time',
    async (path) => {
      const { status, headers } = await gateway.fetch('GET', path, {
        headers: { origin: 'https://any.example' },
      });
      expect(status).toBe(200);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
      expect(headers.get('cache-control')).toBe('no-cache');
    },
  );

  it('the short path imports the module by a relative path, wherever the service is', async () => {
    const { module } = await describeElements();
    const { text, headers } = await gateway.fetch('GET', '/elements/keyward.js');
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(text).toBe(`import "./${module.slice('/elements/'.length)}";\n`);
  });

  it('any page may load each file for good, and its hash is told', async () => {
    const { module, integrity } = await describeElements();
    expect(Object.keys(integrity)).toContain(module);
    for (const [path, expected] of Object.entries(integrity)) {
      const { status, headers, text } = await gateway.fetch('GET', path);
      expect(status).toBe(200);
      expect(`sha384-${hash('sha384', text, 'base64')}`).toBe(expected);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
  });

  it('the elements learn nothing of the sign-in, and no more than the console tells everybody', async () => {
    const { settings } = await describeElements();
    expect(Object.keys(settings).toSorted()).toEqual(['apiKeyHeader', 'apiKeyPermissions']);
  });

  it.each(['/console', '/api/v1/openapi.json', '/health/live', '/elements/none.js', '/elements/'])(
    'everything else stays with its own origin: %s',
    async (path) => {
      const { headers } = await gateway.fetch('GET', path, { headers: { origin: 'https://any.example' } });
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    },
  );

  it.each(['/elements/../console/index.html', '/elements/%2e%2e/documents.json', '/elements/keyward.js/'])(
    'is no way to other files: %s',
    async (path) => {
      expect((await gateway.fetch('GET', path)).status).not.toBe(200);
    },
  );
});
