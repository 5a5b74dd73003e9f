import { afterAll, beforeAll, beforeEach, expect, inject } from 'vitest';
import { createOnServer } from './database.ts';
import { createTestGateway, type TestGateway } from './gateway.ts';
import { startIssuer, type TestIssuer } from './issuer.ts';
import { secretListOf } from './secrets.ts';

/** Gives a file's tests two nodes of one service: one database of PostgreSQL, and the same secrets. Each test finds it empty. */
export function setUpTwoNodes(options: Parameters<typeof createTestGateway>[1] = {}) {
  let issuer: TestIssuer;
  let nodes: readonly [TestGateway, TestGateway];
  beforeAll(async () => {
    issuer = await startIssuer();
    const databaseUrl = await createOnServer(inject('postgresUrl') ?? '', inject('postgresTemplate'));
    const secretKeys = { peppers: secretListOf(1), encryptionKeys: secretListOf(1) };
    const same = { ...options, databaseUrl, secretKeys };
    nodes = [await createTestGateway(issuer, same), await createTestGateway(issuer, same)];
    // As the service does before it is ready.
    for (const node of nodes) await node.verificationKeys.refresh();
  });
  afterAll(async () => {
    for (const node of nodes ?? []) await node[Symbol.asyncDispose]();
    await issuer?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    for (const node of nodes) expect(await node.reset()).toBe(true);
  });
  return {
    get issuer() {
      return issuer;
    },
    get nodes() {
      return nodes;
    },
  };
}
