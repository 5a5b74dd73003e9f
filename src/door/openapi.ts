import { usualKeyHeader } from './api-key.ts';
import { authorizePaths, authorizeSchemas } from './authorize/openapi.ts';
import { introspectionPaths, introspectionSchemas } from './introspection/openapi.ts';
import { apiKeyItselfRecord, keyItselfPaths } from './key-itself/openapi.ts';
import { leakReportsPaths } from './leak-reports/openapi.ts';
import { oauthSchemas } from './oauth/openapi.ts';
import { tokenExchangePaths, tokenExchangeSchemas } from './token-exchange/openapi.ts';

/** The ways to send an API key. */
const securitySchemesFor = (keyHeader: string | undefined) => ({
  ...(keyHeader === undefined && {
    ApiKeyBearer: {
      type: 'http',
      scheme: 'bearer',
      description: 'An API key in place of an access token.',
    },
  }),
  ApiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: keyHeader ?? usualKeyHeader,
    description: 'An API key.',
  },
});

/**
 * The OpenAPI 3.1 description of the requests that no GraphQL field describes.
 * @param keyHeader the only header field that carries API keys; undefined: `Authorization: Bearer` or `X-API-Key`
 * @param takesLeakReports whether the service takes reports of leaked keys
 */
export function doorOpenApi(keyHeader: string | undefined, takesLeakReports: boolean) {
  const securitySchemes = securitySchemesFor(keyHeader);
  const security = Object.keys(securitySchemes).map((name) => ({ [name]: [] }));
  return {
    paths: {
      ...authorizePaths(security),
      ...keyItselfPaths(security),
      ...introspectionPaths,
      ...tokenExchangePaths,
      ...(takesLeakReports && leakReportsPaths),
    },
    records: { ApiKeyItself: apiKeyItselfRecord },
    schemas: {
      ...authorizeSchemas,
      ...introspectionSchemas,
      ...oauthSchemas,
      ...tokenExchangeSchemas,
    },
    securitySchemes,
  };
}
