import { algorithms, issuers, scopeAliases, signatureAlgorithms } from '../issuers.ts';
import { issuerUrl, names, onOrOff, secureUrl } from '../values/kinds.ts';

/** The variables of the issuers whose access tokens the service accepts. */
export const accessTokenVariables = {
  AUTH_ISSUER: issuerUrl.optional().meta({
    description:
      'Issuer of the access tokens, exactly as in `iss`. HTTPS, or HTTP on this machine. Set `AUTH_AUDIENCE` or `AUTH_CLIENT_ID` with it',
    unset: 'the development identity provider',
    example: 'https://id.example.com/realms/main',
  }),
  AUTH_JWKS_URI: secureUrl.optional().meta({
    description: "URL of the issuer's verification keys",
    unset: 'found by discovery',
    example: 'https://id.example.com/realms/main/keys',
  }),
  AUTH_AUDIENCE: names.default([]).meta({
    description: 'Accepted audiences (`aud`), separated by commas',
    example: 'keyward',
  }),
  AUTH_CLIENT_ID: names.default([]).meta({
    description: 'Accepted client ids (`client_id`) of tokens without `aud`, separated by commas',
    example: '4example5app6client7id',
  }),
  AUTH_ALGORITHMS: algorithms.default([...signatureAlgorithms]).meta({
    description: 'Accepted signature algorithms. No others are supported',
    example: 'RS256,ES256',
  }),
  AUTH_SCOPE_ALIASES: scopeAliases.default(new Map()).meta({
    description:
      "Your provider's scope names for Keyward's, as `THEIRS=OURS` pairs, separated by commas. Repeat a name to map it to several scopes",
    example: 'aws.cognito.signin.user.admin=idp.signin.user.admin',
  }),
  ADMIN: onOrOff.default(false).meta({
    description:
      '`on`: a token with the scope `keyward.admin` makes its bearer an operator, who can find, block and erase accounts, deactivate API keys and add webhook endpoints. `off`: these operations do not exist',
    example: 'on',
  }),
  AUTH_ISSUERS: issuers.optional().meta({
    description:
      'Several issuers, as a JSON list: `issuer`, `audience`, `clientId`, `scopeAliases`, `jwksUri`, `grants`. With several issuers (`AUTH_ISSUER` counts), an issuer grants `keyward.admin`, `keys.verify` or `accounts.entitle` only if its `grants` list that scope',
    example: `'[{"issuer": "https://id.example.com", "audience": "keyward"}]'`,
  }),
};
