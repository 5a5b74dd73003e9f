import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { trustIssuer } from '../../../src/auth/trusted-issuer.ts';
import {
  type IllBehavedIssuer,
  misbehaviours,
  startIllBehavedIssuer,
} from '../../support/ill-behaved-issuer.ts';

let issuer: IllBehavedIssuer;
let failures: unknown[];

beforeAll(async () => {
  issuer = await startIllBehavedIssuer();
});
afterAll(() => issuer[Symbol.asyncDispose]());
beforeEach(() => {
  failures = [];
});
afterEach(() => issuer.reset());

const trust = () =>
  trustIssuer(issuer.config, { failed: (error) => failures.push(error), recovered: () => {} });

describe('a trusted issuer', () => {
  it('is not asked for its keys before they are needed', async () => {
    using keys = trust().keys;
    expect(keys.current).toBeUndefined();
    expect(issuer.counts).toEqual({ metadata: 0, keys: 0, elsewhere: 0 });
    expect(await keys.find('test-1')).toMatchObject({ kid: 'test-1', algorithms: ['ES256'] });
    expect(issuer.counts).toEqual({ metadata: 1, keys: 1, elsewhere: 0 });
    expect(failures).toEqual([]);
  });

  it.each<[keyof typeof misbehaviours, RegExp]>([
    ['failing', /^status 500 from http:.*\/jwks$/],
    ['missing', /^status 404 from http:.*\/jwks$/],
    ['huge', /^more than 1048576 bytes from http:.*\/jwks$/],
    ['bomb', /^more than 1048576 bytes from http:.*\/jwks$/],
    ['garbage', /^no JSON from http:.*\/jwks$/],
  ])('its keys cannot be read → a failure that says why: %s', async (name, message) => {
    issuer.behaviour.keys = misbehaviours[name];
    using keys = trust().keys;
    await keys.refresh();
    expect(failures).toEqual([expect.objectContaining({ message: expect.stringMatching(message) })]);
    await expect(keys.find('test-1')).rejects.toMatchObject({ status: 503, reason: 'no-verification-keys' });
  });

  it.each([
    'http://192.0.2.1/jwks',
    'http://localhost.example.com/jwks',
    'http://127.0.0.1.example.com/jwks',
  ])('names keys over plain HTTP on another machine → refused: %s', async (jwks_uri) => {
    issuer.behaviour.metadata = issuer.json({ issuer: issuer.config.issuer, jwks_uri });
    using keys = trust().keys;
    await keys.refresh();
    expect(failures).toEqual([expect.objectContaining({ message: `not HTTPS: ${jwks_uri}` })]);
  });
});
