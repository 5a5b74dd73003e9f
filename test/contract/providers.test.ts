import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { secretVariables } from '../support/secrets.ts';

const page = readFileSync(new URL('../../docs/providers.md', import.meta.url), 'utf8');

/** Assignments of a shell block, as the shell would read them. */
const variablesOf = (block: string): Record<string, string> => {
  const assignments = block.matchAll(/^([A-Z_]+)=(?:'([^']*)'|(.*))$/gm);
  return Object.fromEntries(
    [...assignments].map(([, name = '', quoted, bare]) => [name, quoted ?? bare ?? '']),
  );
};

/** Each provider's section that has a configuration with an issuer, and its variables. */
const recipes = page
  .split('\n## ')
  .map((section) => {
    const [, block = ''] = /```sh\n(.*?)```/s.exec(section) ?? [];
    return [section.split('\n', 1)[0] ?? '', variablesOf(block)] as const;
  })
  .filter(([, variables]) => variables['AUTH_ISSUER'] ?? variables['AUTH_ISSUERS']);

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
        .filter((url) => url !== 'https://keyward.example.com'),
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
