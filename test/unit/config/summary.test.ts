import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { acceptanceSummary, configSummary } from '../../../src/config/summary.ts';
import { secretVariables } from '../../support/secrets.ts';

describe('a good configuration', () => {
  it('names the file of SQLite and the development identity provider', () => {
    expect(configSummary(loadConfig({}))).toBe(
      'The configuration is good. Database: SQLite, data/keyward.db. Issuer of access tokens: the development identity provider, which lets anyone in.',
    );
  });

  it('names every issuer and no secret', () => {
    const environment = {
      ...secretVariables(),
      AUTH_ISSUER: 'https://one.example.com',
      AUTH_AUDIENCE: 'keyward',
      AUTH_ISSUERS: '[{"issuer": "https://two.example.com", "audience": "keyward"}]',
      DATABASE_URL: 'postgres://keyward:c4n4ry@db.example.com/keyward',
    };
    expect(configSummary(loadConfig(environment))).toBe(
      'The configuration is good. Database: PostgreSQL. Issuer of access tokens: https://one.example.com, https://two.example.com.\n' +
        'https://one.example.com: access tokens for the audience keyward. Scopes are in scope or scp.\n' +
        'https://two.example.com: access tokens for the audience keyward. Scopes are in scope or scp.',
    );
  });
});

describe('who gets in, by an issuer’s tokens', () => {
  const url = 'https://id.example.com';
  it.each<[Record<string, unknown>, string]>([
    [{ audience: ['a', 'b'] }, 'access tokens for the audience a or b. Scopes are in scope or scp.'],
    [
      { audience: 'a', clientId: 'c', authorizedParties: ['https://app.example.com'] },
      'access tokens for the audience a; or without an audience, the client id c; or without either, the party https://app.example.com. Scopes are in scope or scp.',
    ],
    [
      { audience: 'any', people: ['openid'], require: { act: null } },
      'access tokens without an audience, because all are said to be for one application, if act is missing. Scopes are in scope or scp; without any, a token has openid.',
    ],
    [
      {
        audience: 'a',
        clientId: 'c',
        tokens: 'id',
        scopeClaims: 'roles',
        require: { role: 'authenticated', n: [1, false, null] },
      },
      'ID tokens for the audience a, if role is "authenticated" and n is 1 or false or missing. Scopes are in roles.',
    ],
  ])('%j', (settings, sentence) => {
    const environment = {
      ...secretVariables(),
      AUTH_ISSUERS: JSON.stringify([{ issuer: url, ...settings }]),
    };
    const [issuer] = loadConfig(environment).issuers;
    expect(issuer && acceptanceSummary(issuer)).toBe(`${url}: ${sentence}`);
  });
});
