import type { IssuerConfig } from '../../src/config/config.ts';

/** All settings for issuers of other kinds that let somebody in. */
const generous = {
  authorizedParties: ['another', 'other', 'https://app.example.com'],
  scopeClaims: ['scope', 'scp', 'roles', 'permissions'],
  people: ['openid', 'email', 'profile', 'idp.signin.user.admin'],
} as const satisfies Partial<IssuerConfig>;

/** Issuers that a service trusts beside the one of the tests: as open as settings can make them. */
export const openIssuers = (like: IssuerConfig): IssuerConfig[] => [
  { ...like, ...generous, issuer: 'https://one.example.com', audiences: [], isForOneApplication: true },
  {
    ...like,
    ...generous,
    issuer: 'https://two.example.com',
    givesIdTokens: true,
    audiences: ['another', 'other'],
  },
];

/** How the issuer of the tests is set, and what a service trusts beside it. None of this lets a forged token in. */
export const issuerSettings: Record<
  string,
  (config: IssuerConfig) => { readonly config: IssuerConfig; readonly issuers?: readonly IssuerConfig[] }
> = {
  'a plain issuer': (config) => ({ config }),
  'a plain issuer beside open ones': (config) => ({ config, issuers: openIssuers(config) }),
  'an issuer with scopes for people': (config) => ({
    config: {
      ...config,
      ...generous,
      authorizedParties: ['a-party'],
      requiredClaims: new Map([['nothing', [null]]]),
    },
  }),
};
