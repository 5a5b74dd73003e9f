/** A token, as a provider's documentation shows it: header and claims. */
export interface ShownToken {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** A provider's two tokens for one sign-in, and the environment by which its access tokens are accepted. */
export interface ProviderTokens {
  readonly environment: Readonly<Record<string, string>>;
  readonly accessToken: ShownToken;
  readonly idToken: ShownToken;
  /** The check that refuses the ID token, as the log names it. */
  readonly idTokenReason: string;
  /** The audience of the ID token made ours: the check that still refuses it. */
  readonly forOurAudience: string;
}

/** The moment at which all tokens here are valid. */
export const validAt = new Date('2026-03-01T12:00:00.000Z');

const iat = validAt.getTime() / 1000 - 10;
const exp = iat + 3600;
const email = 'alice@example.com';

const cognitoIssuer = 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Ab1Cd2Ef3';
const cognitoClient = '4example1client2id3abcdefg';
const cognitoCommon = {
  sub: 'c3f4a8d2-7011-70be-8a3c-1d2e3f405162',
  'cognito:groups': ['customers'],
  iss: cognitoIssuer,
  origin_jti: '1a2b3c4d-0000-4111-8222-333344445555',
  event_id: '64f513be-32db-42b0-b78e-b02127b4f463',
  auth_time: iat,
  iat,
  exp,
  jti: '9d8c7b6a-0000-4111-8222-333344445555',
};

const keycloakIssuer = 'https://sso.example.com/realms/customers';
const keycloakCommon = {
  exp,
  iat,
  auth_time: iat,
  jti: 'onrtac:5f0d2c1b-0000-4111-8222-333344445555',
  iss: keycloakIssuer,
  sub: 'f2b7c1d0-9a3e-4c5d-8e6f-7a8b9c0d1e2f',
  azp: 'web-app',
  sid: '7f3e2d1c-0000-4111-8222-333344445555',
  acr: '1',
  email_verified: true,
  name: 'Alice Example',
  preferred_username: 'alice',
  email,
};

const auth0Issuer = 'https://example.eu.auth0.com/';
const auth0Client = 'aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV';

const entraTenant = '11111111-2222-4333-8444-555555555555';
const entraIssuer = `https://login.microsoftonline.com/${entraTenant}/v2.0`;
const entraApi = '66666666-7777-4888-8999-aaaaaaaaaaaa';
const entraClient = 'bbbbbbbb-cccc-4ddd-8eee-ffffffffffff';
const entraCommon = {
  iss: entraIssuer,
  iat,
  nbf: iat,
  exp,
  aio: 'AXQAi/8TAAAAexample',
  name: 'Alice Example',
  oid: '12121212-3434-4565-8787-909090909090',
  preferred_username: email,
  rh: '0.AXkAexample.',
  sub: 'HKZpfaHyWadeOouYlitjrI-KffTm222X5rrV3xDqfKQ',
  tid: entraTenant,
  uti: 'fqiBqXLPj0eQa82S-IYFAA',
  ver: '2.0',
};

const oktaIssuer = 'https://example.okta.com/oauth2/default';
const oktaClient = '0oa1example2client3';

const cognito = (scope: string): ProviderTokens => ({
  environment: {
    AUTH_ISSUER: cognitoIssuer,
    AUTH_CLIENT_ID: cognitoClient,
    AUTH_SCOPE_ALIASES: ['idp.signin.user.admin', 'openid', 'email', 'profile']
      .map((ours) => `aws.cognito.signin.user.admin=${ours}`)
      .join(),
  },
  accessToken: {
    header: { kid: 'k1Example=', alg: 'RS256' },
    claims: {
      ...cognitoCommon,
      version: 2,
      client_id: cognitoClient,
      token_use: 'access',
      scope,
      username: 'alice',
    },
  },
  idToken: {
    header: { kid: 'k2Example=', alg: 'RS256' },
    claims: {
      ...cognitoCommon,
      at_hash: 'rKb4Example1hashExampleA',
      email_verified: true,
      'cognito:username': 'alice',
      aud: cognitoClient,
      token_use: 'id',
      email,
    },
  },
  idTokenReason: 'audience',
  forOurAudience: 'id-token',
});

/** What the providers issue, from their public documentation; every value is made up. */
export const providerTokens: Readonly<Record<string, ProviderTokens>> = {
  'Amazon Cognito, signed in at its page': cognito('openid profile email aws.cognito.signin.user.admin'),
  // However the app client is configured, a sign-in by Cognito's API gives this scope alone.
  'Amazon Cognito, signed in by a password': cognito('aws.cognito.signin.user.admin'),
  Keycloak: {
    environment: { AUTH_ISSUER: keycloakIssuer, AUTH_AUDIENCE: 'keyward' },
    accessToken: {
      header: { alg: 'RS256', typ: 'JWT', kid: 'q1-Example' },
      claims: {
        ...keycloakCommon,
        aud: ['keyward', 'account'],
        typ: 'Bearer',
        'allowed-origins': ['https://app.example.com'],
        realm_access: { roles: ['offline_access', 'uma_authorization'] },
        resource_access: { account: { roles: ['manage-account', 'view-profile'] } },
        scope: 'openid email profile idp.signin.user.admin',
      },
    },
    idToken: {
      header: { alg: 'RS256', typ: 'JWT', kid: 'q1-Example' },
      claims: { ...keycloakCommon, aud: 'web-app', typ: 'ID', at_hash: 'VY3Example4hashExampleA' },
    },
    idTokenReason: 'audience',
    forOurAudience: 'id-token',
  },
  Auth0: {
    environment: { AUTH_ISSUER: auth0Issuer, AUTH_AUDIENCE: 'https://keyward.example.com' },
    accessToken: {
      header: { alg: 'RS256', typ: 'JWT', kid: 'z1Example' },
      claims: {
        iss: auth0Issuer,
        sub: 'auth0|5f7c8ec7c33c6c004bbafe82',
        aud: ['https://keyward.example.com', `${auth0Issuer}userinfo`],
        iat,
        exp,
        azp: auth0Client,
        scope: 'openid profile email idp.signin.user.admin',
        permissions: ['idp.signin.user.admin'],
      },
    },
    idToken: {
      header: { alg: 'RS256', typ: 'JWT', kid: 'z1Example' },
      claims: {
        nickname: 'alice',
        name: 'Alice Example',
        picture: 'https://example.com/alice.png',
        updated_at: '2026-03-01T11:00:00.000Z',
        email,
        iss: auth0Issuer,
        aud: auth0Client,
        iat,
        exp,
        sub: 'auth0|5f7c8ec7c33c6c004bbafe82',
        sid: 'exampleSessionId',
        nonce: 'exampleNonce',
      },
    },
    idTokenReason: 'audience',
    forOurAudience: 'id-token',
  },
  'Microsoft Entra ID, version 2.0': {
    environment: {
      AUTH_ISSUER: entraIssuer,
      AUTH_AUDIENCE: entraApi,
      AUTH_SCOPE_ALIASES:
        'Keyward.OpenId=openid,Keyward.Email=email,Keyward.Profile=profile,Keyward.Admin=idp.signin.user.admin',
    },
    accessToken: {
      header: { typ: 'JWT', alg: 'RS256', kid: 'e1Example' },
      claims: {
        ...entraCommon,
        aud: entraApi,
        azp: entraClient,
        azpacr: '0',
        scp: 'Keyward.Admin Keyward.Email Keyward.OpenId Keyward.Profile',
      },
    },
    idToken: {
      header: { typ: 'JWT', alg: 'RS256', kid: 'e1Example' },
      claims: { ...entraCommon, aud: entraClient, nonce: '12345' },
    },
    idTokenReason: 'audience',
    forOurAudience: 'id-token',
  },
  Okta: {
    environment: { AUTH_ISSUER: oktaIssuer, AUTH_AUDIENCE: 'api://default' },
    accessToken: {
      header: { kid: 'o1Example', alg: 'RS256' },
      claims: {
        ver: 1,
        jti: 'AT.exampleIdentifier',
        iss: oktaIssuer,
        aud: 'api://default',
        iat,
        exp,
        cid: oktaClient,
        uid: '00u1example2user3',
        scp: ['openid', 'email', 'profile', 'idp.signin.user.admin'],
        auth_time: iat,
        sub: email,
      },
    },
    idToken: {
      header: { kid: 'o1Example', alg: 'RS256' },
      claims: {
        sub: '00u1example2user3',
        name: 'Alice Example',
        email,
        ver: 1,
        iss: oktaIssuer,
        aud: oktaClient,
        iat,
        exp,
        jti: 'ID.exampleIdentifier',
        amr: ['pwd'],
        idp: '00o1example2idp3',
        nonce: 'exampleNonce',
        preferred_username: email,
        auth_time: iat,
        at_hash: 'exampleHashExampleHashEx',
      },
    },
    idTokenReason: 'audience',
    forOurAudience: 'id-token',
  },
  'RFC 9068': {
    environment: { AUTH_ISSUER: 'https://as.example.com', AUTH_AUDIENCE: 'https://rs.example.com/' },
    accessToken: {
      header: { typ: 'at+JWT', alg: 'RS256', kid: 'RjEwOwOA' },
      claims: {
        iss: 'https://as.example.com',
        sub: '5ba552d67',
        aud: 'https://rs.example.com/',
        exp,
        iat,
        jti: 'dbe39bf3a3ba4238a513f51d6e1691c4',
        client_id: 's6BhdRkqt3',
        scope: 'openid profile email idp.signin.user.admin',
      },
    },
    idToken: {
      header: { typ: 'JWT', alg: 'RS256', kid: 'RjEwOwOA' },
      claims: {
        iss: 'https://as.example.com',
        sub: '5ba552d67',
        aud: 's6BhdRkqt3',
        nonce: 'n-0S6_WzA2Mj',
        exp,
        iat,
        c_hash: 'exampleHashExampleHashEx',
      },
    },
    idTokenReason: 'audience',
    forOurAudience: 'id-token',
  },
};
