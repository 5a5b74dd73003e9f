import type { Handler } from '../http/exchange.ts';
import { answerMetadata } from './resource-metadata.ts';

/** The path of the document that describes this service to OAuth clients (RFC 8414, section 3). */
export const serverMetadataPath = '/.well-known/oauth-authorization-server';

/**
 * Answers with the authorization server metadata: where and how a client may ask about API keys (RFC 8414). People sign
 * in elsewhere: at the issuers in the protected resource metadata.
 * @param publicUrl the URL by which clients reach this service, which is the issuer of API keys
 * @param introspectionEndpoint the URL at which they ask
 */
export const serverMetadata = (publicUrl: string, introspectionEndpoint: string): Handler =>
  answerMetadata(serverMetadataPath, {
    issuer: publicUrl,
    introspection_endpoint: introspectionEndpoint,
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'Bearer'],
    // Nobody gets a token here. Without these, a client would assume the usual ones.
    response_types_supported: [],
    grant_types_supported: [],
  });
