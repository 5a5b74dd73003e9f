import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { recipesOf } from '../support/provider-recipes.ts';
import { secretVariables } from '../support/secrets.ts';

const page = readFileSync(new URL('../../docs/providers.md', import.meta.url), 'utf8');

const recipes = [...recipesOf(page)];

/** URLs of the recipes that are audiences, parties and addresses of keys. */
const notIssuers = /^https:\/\/(keyward|app)\.example\.com$|\/jwks/;

const issuersOf = (variables: Record<string, string>) =>
  loadConfig({ NODE_ENV: 'production', ...secretVariables(), ...variables }).issuers;

const aliasesOf = (provider: string) => {
  const [, variables = {}] = recipes.find(([name]) => name === provider) ?? [];
  return [...(issuersOf(variables)[0]?.scopeAliases ?? [])];
};

describe('the recipe of a provider', () => {
  it('exists for Cognito, Keycloak, Auth0, Entra and several at once', () => {
    expect(recipes.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        'Amazon Cognito',
        'Keycloak',
        'Auth0',
        'Microsoft Entra ID',
        'Several at once',
      ]),
    );
  });

  it.each(recipes)('is accepted in production: %s', (_name, variables) => {
    expect(issuersOf(variables).map(({ issuer }) => issuer)).toEqual(
      [...JSON.stringify(variables).matchAll(/https:\/\/[^"\\]+/g)]
        .map(([url]) => url)
        .filter((url) => !notIssuers.test(url)),
    );
  });

  it('maps a scope of Entra to several scopes of Keyward', () => {
    expect(aliasesOf('Microsoft Entra ID')).toEqual([
      ['own.use', ['openid', 'email', 'profile']],
      ['own.admin', ['idp.signin.user.admin']],
    ]);
  });

  it('maps the one scope of a password sign-in at Cognito to all scopes that a person needs', () => {
    expect(aliasesOf('Amazon Cognito')).toEqual([
      ['aws.cognito.signin.user.admin', ['idp.signin.user.admin', 'openid', 'email', 'profile']],
    ]);
  });
});
