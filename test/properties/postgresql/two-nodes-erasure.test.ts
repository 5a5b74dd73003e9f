import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Call } from '../../support/gateway.ts';
import { setUpTwoNodes } from '../../support/two-nodes.ts';

const setup = setUpTwoNodes();

const privateKey = '1'.padStart(64, '0');

describe('an account erased on one node while its owner changes things on the other', () => {
  it('every change is made or refused, and the log has warnings without a stack at the most', async () => {
    const [one, other] = setup.nodes;
    const operator = await setup.issuer.sign({ sub: 'ops', scope: 'openid keyward.admin' });
    const statuses: number[] = [];
    for (let round = 0; round < 25; round += 1) {
      const token = await setup.issuer.sign({ sub: `owner-${round}` });
      const act = async (method: string, path: string, json?: object, isKeyed = false) => {
        const call: Call = {
          token,
          ...(json && { json }),
          ...(isKeyed && { headers: { 'idempotency-key': randomUUID() } }),
        };
        const answer = await other.rest(method, path, call);
        // The key may be deactivated before it is changed, and before the account is erased.
        if (answer.status === 409) expect(answer.body).toEqual({ detail: 'API key is inactive' });
        statuses.push(answer.status);
        return answer;
      };
      const { body } = await act('POST', '/auth/keys', { name: 'First' });
      const { user_id: account } = (await act('GET', '/automation/settings')).body;
      const erasing = one.rest('DELETE', `/admin/accounts/${account}`, { token: operator });
      await Promise.all([
        erasing,
        ...[1, 2, 3, 4].flatMap((index) => [
          act('POST', '/auth/keys', { name: `Laptop ${index}` }),
          act('POST', '/auth/keys', { name: `Keyed ${index}` }, true),
          act('PUT', '/automation/settings', { session_duration: 600 + index }),
          act('POST', '/auth/private-key', { private_key: privateKey }, true),
          act('DELETE', '/auth/private-key'),
          act('POST', `/auth/keys/${body.id}/rotate`, { grace_seconds: 600 }),
          act('PATCH', `/auth/keys/${body.id}`, { name: `Desk ${index}` }),
          act('DELETE', `/auth/keys/${body.id}`),
        ]),
      ]);
      expect((await erasing).status).toBe(200);
    }
    const answered = new Set(statuses);
    answered.delete(409);
    expect(answered).toEqual(new Set([200, 201, 404, 503]));
    const lines = setup.nodes.flatMap((node) => node.log()).filter(({ level }) => Number(level) > 30);
    expect(lines.length).toBe(statuses.filter((status) => status === 503).length);
    for (const line of lines) {
      expect(line).toMatchObject({ level: 40, reason: 'account-changed', msg: 'Service Unavailable' });
      expect(line).not.toHaveProperty('error');
    }
  });
});
