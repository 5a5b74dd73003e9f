import { expect, it } from 'vitest';
import { callerOf, createPeople, operatorOf, trailOf } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const call = callerOf(setup);

it('200: the trail as its owner sees it, and which operator did it; reading it is recorded in both trails', async () => {
  const { bob } = await createPeople(setup);
  await call('updateAutomationSettings', { isEnabled: true }, { sub: 'bob' });
  await call('deactivateAccountApiKey', { keyId: bob.keyId, reason: 'x' });
  const own = await call('auditEvents', {}, { sub: 'bob' });
  expect(own.data.nodes).toHaveLength(2);
  const read = await call('accountAuditEvents', { id: bob.id });
  const operator = await operatorOf(setup);
  const [ended, ...others] = own.data.nodes;
  expect(ended.actorId).toBe(null);
  expect(read.data).toEqual({ ...own.data, nodes: [{ ...ended, actorId: operator }, ...others] });
  const common = { action: 'account-trail-read', target: null, reason: null, details: null };
  expect((await trailOf(setup, bob.id))[0]).toMatchObject({
    ...common,
    actor: 'operator',
    other_id: operator,
  });
  expect((await trailOf(setup, operator))[0]).toMatchObject({ ...common, actor: null, other_id: bob.id });
  expect((await call('auditEvents', {}, { sub: 'bob' })).data.nodes[0]).toMatchObject({
    action: 'account-trail-read',
    actor: 'operator',
    onUserId: null,
  });
});

it('200: in pages, each of which is recorded', async () => {
  const { bob } = await createPeople(setup);
  for (const isEnabled of [true, false, true])
    await call('updateAutomationSettings', { isEnabled }, { sub: 'bob' });
  const first = await call('accountAuditEvents', { id: bob.id, first: 2 });
  expect(first.data.nodes).toHaveLength(2);
  const rest = await call('accountAuditEvents', { id: bob.id, first: 2, after: first.data.next });
  expect(rest.data).toMatchObject({ nodes: [{ action: 'automation-settings-updated' }], next: null });
  const reads = (await trailOf(setup, bob.id)).filter(({ action }) => action === 'account-trail-read');
  expect(reads).toHaveLength(2);
});

it("200: the operator's own trail; reading it is not recorded", async () => {
  const { bob } = await createPeople(setup);
  await call('blockAccount', { id: bob.id, reason: 'x' });
  const operator = await operatorOf(setup);
  const before = await setup.stored();
  const read = await call('accountAuditEvents', { id: operator });
  expect(read.data.nodes[0]).toMatchObject({ action: 'account-blocked', onUserId: bob.id });
  expect(await setup.stored()).toEqual(before);
});

it('200: also of a blocked account', async () => {
  const { bob } = await createPeople(setup);
  await call('blockAccount', { id: bob.id, reason: 'x' });
  expect((await call('accountAuditEvents', { id: bob.id })).data.nodes).toMatchObject([
    { action: 'account-blocked', actor: 'operator', reason: 'x' },
  ]);
});

it('404 for an unknown account, and nothing is recorded', async () => {
  await createPeople(setup);
  expect((await call('accountAuditEvents', { id: 99 })).code).toBe('NOT_FOUND');
  expect(await setup.gateway.rows('audit_event')).toEqual([]);
});

it('an invalid cursor → 422', async () => {
  const { bob } = await createPeople(setup);
  expect((await call('accountAuditEvents', { id: bob.id, after: 'x' })).code).toBe('BAD_USER_INPUT');
});

it("403 without the operator's scope", async () => {
  const { bob } = await createPeople(setup);
  const before = await setup.stored();
  for (const claims of [{ sub: 'bob' }, { sub: 'server', scope: 'keys.verify accounts.entitle' }])
    expect((await call('accountAuditEvents', { id: bob.id }, claims)).code).toBe('FORBIDDEN');
  expect(await setup.stored()).toEqual(before);
});
