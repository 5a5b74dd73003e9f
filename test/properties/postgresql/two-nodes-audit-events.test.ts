import { beforeEach, expect, it } from 'vitest';
import type { TestGateway } from '../../support/gateway.ts';
import { setUpTwoNodes } from '../../support/two-nodes.ts';

const setup = setUpTwoNodes();
let token: string;
beforeEach(async () => {
  token = await setup.issuer.sign();
});

const nodeOf = (index: number): TestGateway => setup.nodes[index % 2 === 0 ? 0 : 1];

/** Renames a key again and again, through one node and the other. */
async function rename(key: number, times: number): Promise<void> {
  for (let turn = 0; turn < times; turn += 1) {
    const json = { name: `name ${turn}` };
    const { status } = await nodeOf(turn + key).rest('PATCH', `/auth/keys/${key}`, { token, json });
    expect(status).toBe(200);
  }
}

const query = `query ($before: String) {
  auditEvents(last: 100, before: $before) { edges { node { id } } pageInfo { startCursor hasPreviousPage } }
}`;

/** Follows the events from the oldest on, page by page, until it is told to stop and there are no more. */
async function follow(node: TestGateway, stopping: AbortSignal): Promise<number[]> {
  const seen: number[] = [];
  let before: string | undefined;
  for (;;) {
    const isLast = stopping.aborted;
    const { body } = await node.graphql(query, { token, variables: { before } });
    const { edges, pageInfo } = body.data.auditEvents;
    seen.push(...edges.map(({ node: { id } }: { node: { id: number } }) => id).reverse());
    before = pageInfo.startCursor ?? before;
    if (isLast && !pageInfo.hasPreviousPage) return seen;
  }
}

it('keep the id of an audit event that already has one, for example from a backup', async () => {
  const alice = await setup.nodes[0].createAccount('alice');
  await setup.nodes[0].database.em
    .getConnection()
    .execute(
      `insert into audit_event (id, account_id, action, request, created_at) values (5000, ${alice}, 'x', 'x', now())`,
    );
  expect(await setup.nodes[0].rows('audit_event')).toMatchObject([{ id: 5000 }]);
});

it('show a reader each audit event of an account, while 12 writers add more', async () => {
  const alice = await setup.nodes[0].createAccount('alice');
  const keys = await Promise.all(Array.from({ length: 12 }, () => setup.nodes[0].createApiKey(alice)));
  const stopping = new AbortController();
  const following = setup.nodes.map((node) => follow(node, stopping.signal));
  await Promise.all(keys.map((key) => rename(key, 60)));
  stopping.abort();
  const written = (await setup.nodes[0].rows('audit_event')).map(({ id }) => id);
  expect(written).toHaveLength(12 * 60);
  for (const seen of await Promise.all(following)) expect(seen).toEqual(written);
});
