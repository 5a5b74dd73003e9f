import { describe, expect, it } from 'vitest';
import { setUpGateway } from '../support/set-up-gateway.ts';
const setup = setUpGateway();
it('answers the same again', async () => {
  const token = await setup.sign();
  const call = { token, json: { name: 'x' }, headers: { 'idempotency-key': 'abc' } };
  const one = await setup.gateway.rest('POST', '/auth/keys', call);
  console.log(one.status, one.text, setup.gateway.log().at(-1), setup.gateway.log().at(-2));
  const two = await setup.gateway.rest('POST', '/auth/keys', call);
  console.log(two.status, two.text, [...two.headers]);
  console.log(await setup.stored());
});
