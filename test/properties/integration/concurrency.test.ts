import { describe, expect, it } from 'vitest';
import type { Answer } from '../../support/gateway.ts';
import { setUpGateway } from '../../support/set-up-gateway.ts';

const setup = setUpGateway();

const crowd = Array.from({ length: 100 }, (_, index) => index);

/** Lets everybody in the crowd call at once. */
const atOnce = (call: (index: number) => Promise<Answer>): Promise<Answer[]> => Promise.all(crowd.map(call));

const statusesOf = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))];
const happened = (event: string) => setup.gateway.log().filter((line) => line['event'] === event);

const deactivate = (token: string, id: number, index: number) =>
  index % 2 === 0
    ? setup.gateway.rest('DELETE', `/auth/keys/${id}`, { token })
    : setup.gateway.graphql(`mutation { deactivateApiKey(keyId: ${id}) { id isActive } }`, { token });

const put = (token: string, json: object) =>
  setup.gateway.rest('PUT', '/automation/settings', { token, json });

describe('100 deactivations of one API key at once', () => {
  it('are one change of state, and all get 200', async () => {
    const alice = await setup.gateway.createAccount('alice');
    const id = await setup.gateway.createApiKey(alice);
    const token = await setup.sign();
    const answers = await atOnce((index) => deactivate(token, id, index));
    expect(statusesOf(answers)).toEqual([200]);
    for (const { body } of answers) {
      const { is_active, isActive } = body.data?.deactivateApiKey ?? body;
      expect(is_active ?? isActive).toBe(false);
    }
    expect(happened('api-key-deactivated')).toMatchObject([{ accountId: alice, keyId: id }]);
    expect(await setup.gateway.rows('api_key')).toMatchObject([{ id, is_active: 0 }]);
  });

  it('change nothing if the callers do not own it', async () => {
    const bob = await setup.gateway.createAccount('bob');
    const id = await setup.gateway.createApiKey(bob);
    const [owner, stranger] = [await setup.sign({ sub: 'bob' }), await setup.sign({ sub: 'mallory' })];
    const answers = await atOnce((index) =>
      setup.gateway.rest('DELETE', `/auth/keys/${id}`, { token: index % 2 === 0 ? owner : stranger }),
    );
    for (const [index, { status }] of answers.entries()) expect(status).toBe(index % 2 === 0 ? 200 : 404);
    expect(happened('api-key-deactivated')).toMatchObject([{ accountId: bob, keyId: id }]);
  });
});

describe('100 first writes of one person at once', () => {
  it('make one account and one row of settings, and all get 200', async () => {
    const token = await setup.sign({ sub: 'carol' });
    const answers = await atOnce((index) => put(token, { session_duration: 60 + index }));
    expect(statusesOf(answers)).toEqual([200]);
    expect(new Set(answers.map(({ body }) => body.user_id)).size).toBe(1);
    expect(await setup.gateway.rows('account')).toMatchObject([{ subject: 'carol' }]);
    const settings = await setup.gateway.rows('automation_settings');
    expect(settings).toHaveLength(1);
    expect(crowd.map((index) => 60 + index)).toContain(settings[0]?.['session_duration']);
    expect(happened('account-created')).toHaveLength(1);
    expect(happened('automation-settings-updated')).toHaveLength(100);
  });

  it('lose no field if each writes a different one', async () => {
    const token = await setup.sign({ sub: 'carol' });
    const answers = await atOnce((index) =>
      put(token, index % 2 === 0 ? { session_duration: 60 + index } : { is_enabled: true }),
    );
    expect(statusesOf(answers)).toEqual([200]);
    const [settings, ...others] = await setup.gateway.rows('automation_settings');
    expect(others).toEqual([]);
    expect(settings).toMatchObject({ is_enabled: 1 });
    const sent = crowd.filter((index) => index % 2 === 0).map((index) => 60 + index);
    expect(sent).toContain(settings?.['session_duration']);
  });

  it('make one row if none of them sets anything', async () => {
    const token = await setup.sign({ sub: 'carol' });
    expect(statusesOf(await atOnce(() => put(token, {})))).toEqual([200]);
    expect(await setup.gateway.rows('automation_settings')).toMatchObject([
      { is_enabled: null, session_duration: null },
    ]);
    expect(happened('automation-settings-updated')).toEqual([]);
  });
});

describe('first writes of 50 people at once, two each', () => {
  it('make 50 accounts, each with its own settings', async () => {
    const tokens = await Promise.all(crowd.map((index) => setup.sign({ sub: `person-${index >> 1}` })));
    const answers = await atOnce((index) => put(`${tokens[index]}`, { session_duration: 60 + (index >> 1) }));
    expect(statusesOf(answers)).toEqual([200]);
    const accounts = await setup.gateway.rows('account');
    expect(new Set(accounts.map(({ subject }) => subject)).size).toBe(50);
    expect(accounts).toHaveLength(50);
    const settings = await setup.gateway.rows('automation_settings');
    const stored = new Map(settings.map((row) => [row['account_id'], row['session_duration']]));
    for (const { id, subject } of accounts) expect(`person-${Number(stored.get(id)) - 60}`).toBe(subject);
    expect(happened('account-created')).toHaveLength(50);
  });
});

describe('deactivations, updates and reads of one person at once', () => {
  it('all succeed, and each change of state happens once', async () => {
    const alice = await setup.gateway.createAccount('alice');
    const ids = await Promise.all(crowd.slice(0, 10).map(() => setup.gateway.createApiKey(alice)));
    const token = await setup.sign();
    const calls: ((index: number) => Promise<Answer>)[] = [
      (index) => deactivate(token, Number(ids[index % 10]), index),
      (index) => deactivate(token, Number(ids[(index + 5) % 10]), index),
      (index) => put(token, { session_duration: 60 + index }),
      () => setup.gateway.rest('GET', '/auth/private-key', { token }),
    ];
    const answers = await Promise.all(calls.map(atOnce));
    expect(statusesOf(answers.flat())).toEqual([200]);
    const deactivated = happened('api-key-deactivated').map((line) => Number(line['keyId']));
    expect(deactivated.sort((a, b) => a - b)).toEqual(ids.sort((a, b) => a - b));
    expect(happened('account-created')).toEqual([]);
    expect(await setup.gateway.rows('automation_settings')).toHaveLength(1);
  });
});
