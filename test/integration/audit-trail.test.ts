import { expect, it } from 'vitest';
import { callerOf, createPeople, operatorOf, trailOf } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const call = callerOf(setup);

const auditor = { sub: 'ada', scope: 'keyward.audit' };

const actionsOf = (outcome: Awaited<ReturnType<typeof call>>) =>
  outcome.data.nodes.map(({ action }: { action: string }) => action);

it('200: the events of all accounts, newest first, for an auditor or an operator; reading them is recorded', async () => {
  const { bob } = await createPeople(setup);
  await call('updateAutomationSettings', { isEnabled: true }, { sub: 'bob' });
  await call('updateAutomationSettings', { isEnabled: true }, { sub: 'carol' });
  await call('deactivateAccountApiKey', { keyId: bob.keyId, reason: 'x' });
  const read = await call('auditTrail', {}, auditor);
  expect(actionsOf(read)).toEqual([
    'api-key-deactivated',
    'account-created',
    'api-key-deactivated',
    'automation-settings-updated',
    'automation-settings-updated',
  ]);
  const ada = (await setup.gateway.rows('account')).find(({ subject }) => subject === 'ada')?.['id'];
  const [event] = await trailOf(setup, ada as number);
  expect(event).toMatchObject({ action: 'audit-trail-read', actor: null, other_id: null });
  expect(JSON.parse(`${event?.['details']}`)).toEqual([{ field: 'count', from: null, to: 5 }]);
  expect(actionsOf(await call('auditTrail'))[0]).toBe('audit-trail-read');
});

it('200: says which operator did it, and which server', async () => {
  const { bob } = await createPeople(setup);
  await call('deactivateAccountApiKey', { keyId: bob.keyId, reason: 'x' });
  const operator = await operatorOf(setup);
  const { data } = await call('auditTrail', { action: 'api-key-deactivated' }, auditor);
  expect(data.nodes).toMatchObject([
    { userId: operator, actor: 'self', actorId: null, onUserId: bob.id },
    { userId: bob.id, actor: 'operator', actorId: operator, onUserId: null, reason: 'x' },
  ]);
  const own = await call('auditEvents', {}, { sub: 'bob' });
  expect(own.data.nodes[0]).toMatchObject({ actor: 'operator', actorId: null });
});

/** All lines of the trail, and its last one. */
async function stream(query = '') {
  const token = await setup.sign(auditor);
  const { status, headers, text } = await setup.gateway.fetch('GET', `/api/v1/admin/audit-events${query}`, {
    token,
    headers: { accept: 'application/x-ndjson' },
  });
  const lines = text.trimEnd().split('\n');
  const last = lines.pop() ?? '';
  return {
    status,
    type: headers.get('content-type'),
    events: lines.map((line) => JSON.parse(line)),
    last: status === 200 ? JSON.parse(last) : last,
  };
}

it('200: as lines, oldest first, in many pages; recorded once; the last line goes on', async () => {
  await createPeople(setup);
  for (let length = 0; length < 250; length += 1)
    await call('updateAutomationSettings', { sessionDuration: 60 + length }, { sub: 'bob' });
  const all = await stream();
  expect([all.status, all.type]).toEqual([200, 'application/x-ndjson']);
  expect(all.events).toHaveLength(250);
  const ids = all.events.map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted((one, other) => one - other));
  const again = await stream(`?cursor=${all.last.cursor}`);
  expect(again.events.map(({ action }) => action)).toEqual(['account-created', 'audit-trail-read']);
  expect((await stream(`?cursor=${again.last.cursor}`)).events).toHaveLength(1);
});
