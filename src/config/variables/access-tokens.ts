import { algorithms, issuers, scopeAliases, signatureAlgorithms } from '../issuers.ts';
import { issuerUrl, names, onOrOff, secureUrl } from '../values/kinds.ts';

/** The variables of the issuers whose access tokens the service accepts. */
export const accessTokenVariables = {
  AUTH_ISSUER: issuerUrl.optional().meta({
    description:
      'Issuer of the access tokens, exactly as in `iss`. HTTPS, or plain HTTP on this machine. `AUTH_AUDIENCE` or `AUTH_CLIENT_ID` must be set beside it',
    unset: 'the development identity provider',
    example: 'https://id.example.com/realms/main',
  }),
  AUTH_JWKS_URI: secureUrl.optional().meta({
    description: "Where the issuer's verification keys are",
    unset: 'found by discovery',
    example: 'https://id.example.com/realms/main/keys',
  }),
  AUTH_AUDIENCE: names.default([]).meta({
    description: 'Accepted audiences (`aud`), with commas between them',
    example: 'keyward',
  }),
  AUTH_CLIENT_ID: names.default([]).meta({
    description: 'Accepted client ids (`client_id`) of tokens without `aud`, with commas between them',
    example: '4example5app6client7id',
  }),
  AUTH_ALGORITHMS: algorithms.default([...signatureAlgorithms]).meta({
    description: 'Accepted signature algorithms; no others can be named',
    example: 'RS256,ES256',
  }),
  AUTH_SCOPE_ALIASES: scopeAliases.default(new Map()).meta({
    description:
      "The provider's scope names and ours, with commas between pairs. A name may stand for several: name it again",
    example: 'aws.cognito.signin.user.admin=idp.signin.user.admin',
  }),
  ADMIN: onOrOff.default(false).meta({
    description:
      '`on`: whoever has a token with the scope `keyward.admin` is an operator, who finds, blocks and erases accounts, ends API keys and adds webhook endpoints. `off`: there is no such field and no such route',
    example: 'on',
  }),
  AUTH_ISSUERS: issuers.optional().meta({
    description:
      'Several issuers, as a JSON list: `issuer`, `audience`, `clientId`, `scopeAliases`, `jwksUri`, `grants`. Where there are several, that of `AUTH_ISSUER` included, one grants `keyward.admin` or `keys.verify` only where its `grants` name it',
    example: `'[{"issuer": "https://id.example.com", "audience": "keyward"}]'`,
  }),
};
