import {
  algorithms,
  issuers,
  organization,
  people,
  requirements,
  scopeAliases,
  scopeClaims,
  signatureAlgorithms,
  tokenKinds,
} from '../issuers.ts';
import { issuerUrl, json, names, onOrOff, secureUrl, textOfFile } from '../values/kinds.ts';
import { serverCredentials } from '../values/server-credentials.ts';

/** The variables of the issuers whose access tokens the service accepts. */
export const accessTokenVariables = {
  AUTH_ISSUER: issuerUrl.optional().meta({
    description:
      'Issuer of the access tokens, exactly as in `iss`. HTTPS, or HTTP on this machine. Set `AUTH_AUDIENCE`, `AUTH_CLIENT_ID` or `AUTH_AUTHORIZED_PARTIES` with it',
    unset: 'the development identity provider',
    example: 'https://id.example.com/realms/main',
  }),
  AUTH_JWKS_URI: secureUrl.optional().meta({
    description: "URL of the issuer's verification keys",
    unset: 'found by discovery',
    example: 'https://id.example.com/realms/main/keys',
  }),
  AUTH_AUDIENCE: names.default([]).meta({
    description:
      'Accepted audiences (`aud`), separated by commas. `any`: the issuer [issues tokens for one application only](providers.md#an-issuer-for-one-application), without an audience',
    example: 'keyward',
  }),
  AUTH_CLIENT_ID: names.default([]).meta({
    description: 'Accepted client ids (`client_id`) of tokens without `aud`, separated by commas',
    example: '4example5app6client7id',
  }),
  AUTH_AUTHORIZED_PARTIES: names.default([]).meta({
    description: 'Accepted parties (`azp`) of tokens without `aud` and `client_id`, separated by commas',
    example: 'https://app.example.com',
  }),
  AUTH_TOKENS: tokenKinds.default('access').meta({
    description:
      '`id`: the issuer gives only [ID tokens](providers.md#firebase), which Keyward then accepts in place of access tokens',
    example: 'id',
  }),
  AUTH_REQUIRE: json('must be a JSON object').pipe(requirements).default(new Map()).meta({
    description:
      'Claims that a token must have, as a JSON object: each with its value or a list of values; `null` stands for a missing claim. `a.b` is the member `b` of the claim `a`',
    unset: 'none',
    example: `'{"role": "authenticated", "is_anonymous": [false, null]}'`,
  }),
  AUTH_SCOPE_CLAIMS: scopeClaims.default(['scope', 'scp']).meta({
    description: 'Claims that grant scopes, separated by commas; each a text or a list of texts',
    example: 'scope,roles',
  }),
  AUTH_PEOPLE: people.default([]).meta({
    description:
      'Scopes of a token without any scope claim, separated by commas: `openid`, `email`, `profile`, `idp.signin.user.admin`',
    unset: 'none',
    example: 'openid,email,profile,idp.signin.user.admin',
  }),
  AUTH_ORGANIZATION: json('must be a JSON object').pipe(organization).optional().meta({
    description:
      "How tokens name a person's [organisations](organizations.md), as a JSON object: `claim`, `roles`, `manage`, `read`, `name`",
    unset: 'no organisations',
    example: `'{"claim": "org_id", "roles": "org_role", "manage": ["admin"]}'`,
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
      '`on`: a token with the scope `keyward.admin` makes its bearer an operator, who can find, block and erase accounts, pause and deactivate API keys and add webhook endpoints. With the scope `keyward.audit`, its bearer reads the audit events of all accounts, and nothing else. `off`: these operations do not exist',
    example: 'on',
  }),
  SERVER_CREDENTIALS: serverCredentials.optional().meta({
    description:
      'Your servers, which [sign in without an identity provider](providers.md#your-servers): a list of `NAME:SCOPES:DIGEST`, separated by commas or white space, with `+` between scopes. `npm run credential` prints an entry',
    unset: 'none',
    example: 'checkout:keys.verify:sha256-q8Qn0MJaJHHSvcXZPyT4mUf3pcV0GB5nCuRxFKv6PlE',
  }),
  SERVER_CREDENTIALS_FILE: textOfFile.pipe(serverCredentials).optional().meta({
    description: 'File with the list, in place of `SERVER_CREDENTIALS`',
    example: '/run/secrets/server-credentials',
  }),
  AUTH_ISSUERS: issuers.optional().meta({
    description:
      'Several issuers, as a JSON list: `issuer`, `audience`, `clientId`, `authorizedParties`, `tokens`, `require`, `scopeClaims`, `scopeAliases`, `people`, `organization`, `jwksUri`, `grants`. With several issuers (`AUTH_ISSUER` counts), an issuer grants `keyward.admin`, `keyward.audit`, `keys.verify`, `keys.import`, `accounts.act` or `accounts.entitle` only if its `grants` list that scope',
    example: `'[{"issuer": "https://id.example.com", "audience": "keyward"}]'`,
  }),
};
