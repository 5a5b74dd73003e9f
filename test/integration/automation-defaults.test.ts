import { describe, expect, it } from 'vitest';
import type { Answer } from '../support/gateway.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway({ automationDefaults: { isEnabled: true, sessionDuration: 600 } });

const rest = async (method: string, json?: object): Promise<Answer> =>
  setup.gateway.rest(method, '/automation/settings', { token: await setup.sign(), ...(json && { json }) });

const read = '{ automationSettings { isEnabled sessionDuration userId } }';
const graphql = async (query: string) =>
  (await setup.gateway.graphql(query, { token: await setup.sign() })).body;

/** What both sides read. */
const settings = async () => {
  const { body } = await rest('GET');
  const { isEnabled, sessionDuration, userId } = (await graphql(read)).data.automationSettings;
  expect([isEnabled, sessionDuration, userId]).toEqual([
    body.is_enabled,
    body.session_duration,
    body.user_id,
  ]);
  return [body.is_enabled, body.session_duration];
};

describe('a field that was never set → the configured default', () => {
  it('for a caller without an account, and nothing is written', async () => {
    const before = await setup.stored();
    expect(await settings()).toEqual([true, 600]);
    expect((await rest('GET')).body).toMatchObject({ user_id: null, created_at: null, updated_at: null });
    expect(await setup.stored()).toEqual(before);
  });

  it('for a caller who has an account, set the other field, or sent no field', async () => {
    await setup.gateway.createAccount('alice');
    expect(await settings()).toEqual([true, 600]);
    expect((await rest('PUT', {})).body).toMatchObject({ is_enabled: true, session_duration: 600 });
    expect((await rest('PUT', { session_duration: 60 })).body).toMatchObject({
      is_enabled: true,
      session_duration: 60,
    });
    expect(await settings()).toEqual([true, 60]);
  });

  it('is not stored in the row', async () => {
    await rest('PUT', {});
    expect(await setup.gateway.rows('automation_settings')).toMatchObject([
      { is_enabled: null, is_enabled_cleared: 0, session_duration: null, session_duration_cleared: 0 },
    ]);
  });

  it('also in a row of an older version', async () => {
    const account = await setup.gateway.createAccount('alice');
    await setup.gateway.database.em
      .fork()
      .execute(
        'insert into automation_settings (account_id, session_duration, created_at, updated_at) values (?, 60, ?, ?)',
        [account, new Date(), new Date()],
      );
    expect(await settings()).toEqual([true, 60]);
  });
});

describe('a field that was cleared → null', () => {
  it.each([
    [{ is_enabled: null }, [null, 600]],
    [{ session_duration: null }, [true, null]],
    [{ is_enabled: null, session_duration: null }, [null, null]],
  ])('also if the first call clears it: %j', async (json, expected) => {
    const { body } = await rest('PUT', json);
    expect([body.is_enabled, body.session_duration]).toEqual(expected);
    expect(await settings()).toEqual(expected);
    await rest('PUT', {});
    expect(await settings()).toEqual(expected);
  });

  it('until it is set again', async () => {
    await rest('PUT', { is_enabled: false, session_duration: 60 });
    expect(await settings()).toEqual([false, 60]);
    await graphql('mutation { updateAutomationSettings(isEnabled: null, sessionDuration: null) { userId } }');
    expect(await settings()).toEqual([null, null]);
    await rest('PUT', { is_enabled: false });
    expect(await settings()).toEqual([false, null]);
  });
});
