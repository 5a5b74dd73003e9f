import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { configSummary } from '../../../src/config/summary.ts';
import { secretVariables } from '../../support/secrets.ts';

describe('a good configuration in one line', () => {
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
      'The configuration is good. Database: PostgreSQL. Issuer of access tokens: https://one.example.com, https://two.example.com.',
    );
  });
});
