import type { Handler } from '../http/exchange.ts';
import { answerMetadata } from './resource-metadata.ts';

/** The path of the document that describes this service to OAuth clients (RFC 8414, section 3). */
export const serverMetadataPath = '/.well-known/oauth-authorization-server';

/** The path of the public keys that verify this service's assertions: a JWK Set (RFC 7517, section 5). */
export const keySetPath = '/.well-known/jwks.json';

/**
 * Answers with the public keys. Verifiers keep them for a while: one that asked for each token would cost as much as
 * asking about each key.
 */
export const assertionKeySet = (keySet: object): Handler =>
  answerMetadata(keySetPath, keySet, { 'cache-control': 'public, max-age=300' });

/** The grant types of a service that signs assertions. */
const exchange = {
  grant_types_supported: ['urn:ietf:params:oauth:grant-type:token-exchange'],
  // The API key is all that a client needs.
  token_endpoint_auth_methods_supported: ['none'],
};

/**
 * Answers with the authorization server metadata: where and how a client may ask about API keys, and exchange them (RFC
 * 8414). People sign in elsewhere: at the issuers in the protected resource metadata.
 * @param publicUrl the URL by which clients reach this service, which is the issuer of API keys and of assertions
 * @param endpoints the URLs at which clients ask about keys, and at which they exchange them; undefined: they cannot
 */
export const serverMetadata = (
  publicUrl: string,
  endpoints: { readonly introspection: string; readonly token: string | undefined },
): Handler =>
  answerMetadata(serverMetadataPath, {
    issuer: publicUrl,
    introspection_endpoint: endpoints.introspection,
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'Bearer'],
    // Nobody signs in here. Without these, a client would assume the usual ones.
    response_types_supported: [],
    grant_types_supported: [],
    ...(endpoints.token !== undefined && {
      token_endpoint: endpoints.token,
      jwks_uri: publicUrl + keySetPath,
      ...exchange,
    }),
  });
