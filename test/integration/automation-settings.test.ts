import { describe, expect, it } from 'vitest';
import type { Answer } from '../support/gateway.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();
const query = '{ automationSettings { isEnabled sessionDuration userId createdAt updatedAt } }';
const neverSet = {
  is_enabled: null,
  session_duration: null,
  user_id: null,
  created_at: null,
  updated_at: null,
};

const rest = async (method: string, sub = 'alice', json?: object): Promise<Answer> =>
  setup.gateway.rest(method, '/automation/settings', {
    token: await setup.sign({ sub }),
    ...(json && { json }),
  });

describe('200 over REST', () => {
  it('what was set last', async () => {
    const put = await rest('PUT', 'alice', { is_enabled: true, session_duration: 3600 });
    await rest('PUT', 'bob', { is_enabled: false });
    expect(await rest('GET')).toMatchObject({ status: 200, text: put.text });
    expect((await rest('GET', 'bob')).body).toMatchObject({
      is_enabled: false,
      session_duration: null,
      user_id: 2,
    });
  });

  it('nothing was set → nulls, and nothing is written', async () => {
    const before = await setup.stored();
    expect(await rest('GET', 'carol')).toMatchObject({ status: 200, text: JSON.stringify(neverSet) });
    expect(await setup.stored()).toEqual(before);
  });

  it('nothing was set, but there is an account → its id', async () => {
    await setup.gateway.createAccount('alice');
    expect((await rest('GET')).body).toEqual({ ...neverSet, user_id: 1 });
  });

  it('a field that was cleared → null', async () => {
    await rest('PUT', 'alice', { is_enabled: true, session_duration: 60 });
    await rest('PUT', 'alice', { session_duration: null });
    expect((await rest('GET')).body).toMatchObject({ is_enabled: true, session_duration: null });
  });
});

describe('200 over GraphQL', () => {
  it.each(['alice', 'carol'])('the same as over REST: %s', async (sub) => {
    await rest('PUT', 'alice', { is_enabled: false, session_duration: 60 });
    const { body } = await rest('GET', sub);
    const answer = await setup.gateway.graphql(query, { token: await setup.sign({ sub }) });
    expect(answer.body.data.automationSettings).toEqual({
      isEnabled: body.is_enabled,
      sessionDuration: body.session_duration,
      userId: body.user_id,
      createdAt: body.created_at,
      updatedAt: body.updated_at,
    });
  });
});
