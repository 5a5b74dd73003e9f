import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { secretVariables } from '../support/secrets.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

const section = (title: string): string => {
  const [, text = ''] = readme.split(`\n## ${title}\n`);
  return text.split('\n## ')[0] ?? '';
};

/** Assignments of a shell block, as the shell would read them. */
const variablesOf = (block: string): Record<string, string> => {
  const assignments = block.matchAll(/^([A-Z_]+)=(?:'([^']*)'|(.*))$/gm);
  return Object.fromEntries(
    [...assignments].map(([, name = '', quoted, bare]) => [name, quoted ?? bare ?? '']),
  );
};

describe('the configuration of a provider', () => {
  const provider = section('Put it behind your provider');
  const blocks = [...provider.matchAll(/^\*\*([^*]+)\*\*[^\n]*\n\n```sh\n(.*?)```/gms)].map(
    ([, name = '', block = '']) => [name, variablesOf(block)] as const,
  );

  it('is shown for Cognito, Keycloak, Auth0, Entra and several at once', () => {
    expect(blocks.map(([name]) => name)).toEqual([
      'Amazon Cognito',
      'Keycloak',
      'Auth0',
      'Microsoft Entra ID',
      'Several at once',
    ]);
  });

  it.each(blocks)('is accepted in production: %s', (_name, variables) => {
    const { issuers } = loadConfig({ NODE_ENV: 'production', ...secretVariables(), ...variables });
    expect(issuers.map(({ issuer }) => issuer)).toEqual(
      [...JSON.stringify(variables).matchAll(/https:\/\/[^"\\]+/g)]
        .map(([url]) => url)
        .filter((url) => url !== 'https://keyward.example.com'),
    );
  });

  it("turns one of Entra's scopes into several of ours", () => {
    const [, entra = {}] = blocks.find(([name]) => name === 'Microsoft Entra ID') ?? [];
    const [issuer] = loadConfig({ NODE_ENV: 'production', ...secretVariables(), ...entra }).issuers;
    expect([...(issuer?.scopeAliases ?? [])]).toEqual([
      ['own.use', ['openid', 'email', 'profile']],
      ['own.admin', ['idp.signin.user.admin']],
    ]);
  });
});
