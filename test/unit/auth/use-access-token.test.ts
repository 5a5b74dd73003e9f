import { createYoga } from 'graphql-yoga';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { useAccessToken } from '../../../src/auth/caller.ts';
import {
  type KeySet,
  parseVerificationKey,
  type VerificationKey,
} from '../../../src/auth/verification-key.ts';
import { VerificationKeys } from '../../../src/auth/verification-keys.ts';
import { schema } from '../../../src/gateway/schema.ts';
import { startIssuer, type TestIssuer } from '../../support/issuer.ts';

type Plugin = ReturnType<typeof useAccessToken>;

let issuer: TestIssuer;
let keys: VerificationKeys;
let read: () => Promise<KeySet>;
let plugin: Plugin;

beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer[Symbol.asyncDispose]());
beforeEach(async () => {
  const [published] = issuer.published.keys.map(parseVerificationKey);
  if (!published) throw new Error('the issuer publishes no key');
  read = async () => [published];
  keys = new VerificationKeys(() => read(), { failed: () => {}, recovered: () => {} });
  await keys.refresh();
  plugin = useAccessToken([{ config: issuer.config, keys }]);
  createYoga({ schema, logging: false, plugins: [plugin as never] });
});
afterEach(() => keys[Symbol.dispose]());

/** Checks the token of a request; `onVerified` is told when its signature was found good. */
const check = async (token: string, onVerified: () => void = () => {}) => {
  const context = { headers: { authorization: `Bearer ${token}` }, record: {} };
  const extendContext = (more: object) => {
    Object.assign(context, more);
    onVerified();
  };
  const authenticate = plugin.onContextBuilding as (payload: object) => Promise<void>;
  await authenticate({ context, extendContext });
  return context.record;
};

it('a new key set is read during verification → the token is not remembered for the new set', async () => {
  const token = await issuer.sign();
  const { promise, resolve: withdraw } = Promise.withResolvers<KeySet>();
  read = () => promise;
  const reading = keys.refresh();
  expect(await check(token, () => withdraw([{ kid: 'other' } as VerificationKey]))).toEqual({
    token: 'verified',
  });
  await reading;
  await expect(check(token)).rejects.toMatchObject({ status: 401, reason: 'token-unknown-key' });
});

it('a verified token, sent again → remembered', async () => {
  const token = await issuer.sign();
  expect(await check(token)).toEqual({ token: 'verified' });
  expect(await check(token)).toEqual({ token: 'remembered' });
});
