import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { TestGateway } from '../../support/gateway.ts';
import { holdCreation } from '../../support/hold-creation.ts';
import { setUpTwoNodes } from '../../support/two-nodes.ts';

const setup = setUpTwoNodes();

const create = (node: TestGateway, token: string, key: string) =>
  node.rest('POST', '/auth/keys', { token, json: { name: 'CI' }, headers: { 'idempotency-key': key } });

it('while one node handles a request, the other says so at once, and gives the same response afterwards', async () => {
  const token = await setup.issuer.sign();
  // Whose account is there: nobody waits for its row.
  await create(setup.nodes[0], token, 'before');
  const finish = await holdCreation(setup.nodes[0], setup.issuer.config.issuer, 'one');
  expect((await create(setup.nodes[1], token, 'one')).status).toBe(409);
  expect((await create(setup.nodes[1], token, 'two')).status).toBe(201);
  const result = await finish();
  for (const node of setup.nodes) expect((await create(node, token, 'one')).body.key).toBe(result.key);
  expect(await setup.nodes[0].rows('api_key')).toHaveLength(3);
});

it('many requests on both nodes create one API key for each Idempotency-Key, whichever is first', async () => {
  for (let round = 0; round < 5; round += 1) {
    const token = await setup.issuer.sign({ sub: randomUUID() });
    const keys = [randomUUID(), randomUUID()] as const;
    const answers = await Promise.all(
      Array.from({ length: 24 }, async (_, index) => {
        const key = keys[index % 4 < 2 ? 0 : 1];
        return { key, answer: await create(setup.nodes[index % 2 === 0 ? 0 : 1], token, key) };
      }),
    );
    for (const key of keys) {
      const own = answers.filter((each) => each.key === key).map(({ answer }) => answer);
      expect(own.map(({ status }) => status)).toContain(201);
      const secrets = own.filter(({ status }) => status === 201).map(({ body }) => body.key);
      expect(new Set(secrets).size).toBe(1);
      for (const { status } of own) expect([201, 409]).toContain(status);
    }
    expect((await setup.nodes[0].rest('GET', '/auth/keys', { token })).body).toHaveLength(2);
  }
});

it('continues when the ids of its records are used up', async () => {
  const token = await setup.issuer.sign();
  await setup.nodes[0].database.em.fork().execute("select setval('idempotency_record_id_seq', 2147483647)");
  const made = await create(setup.nodes[0], token, 'one');
  expect(made.status).toBe(201);
  expect((await create(setup.nodes[1], token, 'one')).text).toBe(made.text);
});
