import { beforeAll, describe, expect, it } from 'vitest';
import { readScannerKeys } from '../../../src/door/leak-reports/report-signature.ts';
import { createSigningKey, matchOf, signatureHeaders } from '../../support/scanner.ts';
import { setUpTwoNodes } from '../../support/two-nodes.ts';

const key = createSigningKey('first');
const keys = readScannerKeys(new Map([['first', key.publicKey]]), {
  failed: () => {},
  recovered: () => {},
});
// As the service does before it is ready.
beforeAll(() => keys.refresh());
const setup = setUpTwoNodes({ leakReports: { act: 'end', keys } });

it('deactivate a key once, whichever of them gets the report, while its owner changes it', async () => {
  const [node] = setup.nodes;
  const account = await node.createAccount('alice');
  const bob = await node.createAccount('bob');
  const made: Awaited<ReturnType<typeof node.createVerifiableKey>>[] = [];
  for (let at = 0; at < 6; at += 1) made.push(await node.createVerifiableKey(at % 2 === 0 ? account : bob));
  const matches = made.map(({ secret }) => matchOf(secret));
  const reports = Array.from({ length: 10 }, async (_, turn) => {
    const body = JSON.stringify(turn % 3 === 0 ? matches : matches.toReversed());
    const { rest } = setup.nodes[turn % 2 === 0 ? 0 : 1];
    return (await rest('POST', '/keys/leaks', { body, headers: signatureHeaders(body, key) })).status;
  });
  const token = await setup.issuer.sign();
  const changes = made.map(async ({ id }, at) => {
    const { rest } = setup.nodes[at % 2 === 0 ? 1 : 0];
    const rotates = at % 4 === 0;
    const json = rotates ? { grace_seconds: 3600 } : { name: 'Desk' };
    const place = `/auth/keys/${id}${rotates ? '/rotate' : ''}`;
    return (await rest(rotates ? 'POST' : 'PATCH', place, { token, json })).status;
  });
  expect(await Promise.all(reports)).toEqual(Array(10).fill(200));
  // What is bob's is not found; what has ended cannot be rotated.
  for (const status of await Promise.all(changes)) expect([200, 404, 409]).toContain(status);
  const events = await node.rows('audit_event');
  const stored = await node.rows('api_key');
  for (const { id, secret } of made) {
    const told = events.filter(({ target, actor }) => target === id && actor === 'scanner');
    expect(told.filter(({ action }) => action === 'api-key-leaked')).toHaveLength(1);
    // Where its owner was quicker, and gave it another secret, the one that was found has ended alone.
    const ended = told.filter(({ action }) => action === 'api-key-deactivated').length;
    const isActive = stored.find((row) => row['id'] === id)?.['is_active'];
    expect(ended).toBe(isActive === 1 ? 0 : 1);
    const question = { token: await setup.issuer.sign({ scope: 'keys.verify' }), json: { key: secret } };
    for (const { rest } of setup.nodes)
      expect((await rest('POST', '/keys/verify', question)).body.valid).toBe(false);
  }
});

describe('with leaked keys paused', () => {
  const pausing = setUpTwoNodes({ leakReports: { act: 'pause', keys } });

  it('two nodes pause a key once for each report, while its owner and an operator pause, resume and end it', async () => {
    const [node] = pausing.nodes;
    const account = await node.createAccount('alice');
    const { id, secret } = await node.createVerifiableKey(account);
    const body = JSON.stringify([matchOf(secret)]);
    const own = { token: await pausing.issuer.sign() };
    const reason = { json: { reason: 'Ticket 42' } };
    const operators = {
      token: await pausing.issuer.sign({ sub: 'olivia', scope: 'keyward.admin' }),
      ...reason,
    };
    const calls = Array.from({ length: 60 }, async (_, turn) => {
      const { rest } = pausing.nodes[turn % 2 === 0 ? 0 : 1];
      const answers = [
        () => rest('POST', '/keys/leaks', { body, headers: signatureHeaders(body, key) }),
        () => rest('POST', `/auth/keys/${id}/resume`, own),
        () => rest('POST', `/admin/keys/${id}/pause`, operators),
        () => rest('POST', `/auth/keys/${id}/pause`, own),
        () => rest('POST', `/admin/keys/${id}/resume`, operators),
      ];
      if (turn === 50) return (await rest('DELETE', `/auth/keys/${id}`, own)).status;
      return (await (answers[turn % answers.length] as (typeof answers)[number])()).status;
    });
    for (const status of await Promise.all(calls)) expect([200, 409]).toContain(status);
    const states = (await node.rows('audit_event'))
      .filter(
        ({ target, account_id: owner, action }) =>
          target === id && owner === account && action !== 'api-key-leaked',
      )
      .map(({ action, details }) => ({
        action,
        by: JSON.parse(`${details}`).find(({ field }: { field: string }) => field === 'paused_by'),
      }));
    let pauser: unknown = null;
    for (const { action, by } of states.slice(0, -1)) {
      expect(action).toMatch(/^api-key-(paused|resumed)$/);
      expect(by.from).toBe(pauser);
      pauser = by.to;
    }
    expect(states.at(-1)?.action).toBe('api-key-deactivated');
    expect(await node.rows('api_key')).toMatchObject([{ is_active: 0, paused_at: null, paused_by: null }]);
  });
});
