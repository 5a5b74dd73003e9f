import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readAccessToken, screenClaims, screenHeader } from '../../../src/auth/access-token.ts';
import { requireScopes } from '../../../src/auth/required-scopes.ts';
import { accountAdmin } from '../../../src/auth/scopes.ts';
import type { IssuerConfig } from '../../../src/config/config.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import {
  type ProviderTokens,
  providerTokens,
  type ShownToken,
  validAt,
} from '../../support/provider-tokens.ts';
import { secretVariables } from '../../support/secrets.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: validAt });
});
afterEach(() => {
  vi.useRealTimers();
});

const configure = (environment: Readonly<Record<string, string>>) =>
  loadConfig({ NODE_ENV: 'production', ...secretVariables(), ...environment }).issuers[0] as IssuerConfig;

/** Checks of a token all but its signature. */
const screen = ({ header, claims }: ShownToken, config: IssuerConfig) => {
  screenHeader(header, config);
  screenClaims(claims, config);
};

const refusedFor = (reason: string) => expect.objectContaining({ status: 401, reason: `token-${reason}` });

/** The token, with claims in place of its own. */
const withClaims = ({ header, claims }: ShownToken, others: object): ShownToken => ({
  header,
  claims: { ...claims, ...others },
});

describe.each(Object.entries(providerTokens))('%s', (_name, tokens: ProviderTokens) => {
  const { environment, accessToken, idToken, idTokenReason, forOurAudience } = tokens;
  const config = configure(environment);
  const { aud, client_id } = accessToken.claims;

  it("an access token → accepted, with scopes in Keyward's names", () => {
    expect(() => screen(accessToken, config)).not.toThrow();
    const read = readAccessToken(accessToken.claims, config);
    expect(read).toMatchObject({ issuer: config.issuer, subject: accessToken.claims['sub'] });
    expect(() => requireScopes(accountAdmin, read)).not.toThrow();
  });

  it('an ID token → refused', () => {
    expect(() => screen(idToken, config)).toThrow(refusedFor(idTokenReason));
  });

  it('an ID token for the same audience → refused', () => {
    const same = withClaims(idToken, { aud, client_id });
    expect(() => screen(same, config)).toThrow(refusedFor(forOurAudience));
  });

  it('an access token for another audience → refused', () => {
    const others = aud === undefined ? { client_id: 'another' } : { aud: 'another' };
    expect(() => screen(withClaims(accessToken, others), config)).toThrow(refusedFor('audience'));
  });

  it('an access token of another tenant → refused', () => {
    const other = withClaims(accessToken, { iss: `${config.issuer}-other` });
    expect(() => screen(other, config)).toThrow(refusedFor('issuer'));
  });

  it('an access token an hour later → refused', () => {
    vi.setSystemTime(validAt.getTime() + 3_700_000);
    expect(() => screen(accessToken, config)).toThrow(refusedFor('expired'));
  });
});
