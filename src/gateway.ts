import type { SqlEntityManager } from '@mikro-orm/sql';
import { NoSchemaIntrospectionCustomRule } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import { verifySecret } from './api-keys/verify-secret.ts';
import type { TrustedIssuer } from './auth/trusted-issuer.ts';
import { useAccessToken } from './auth/use-access-token.ts';
import { useRequiredScopes } from './auth/use-required-scopes.ts';
import { useResourceMetadata } from './auth/use-resource-metadata.ts';
import { Db } from './database/db.ts';
import { translateError } from './database/translate-error.ts';
import { forwardAuthOpenApi } from './forward-auth/openapi.ts';
import { useForwardAuth } from './forward-auth/use-forward-auth.ts';
import { createMaskError } from './graphql/mask-error.ts';
import { schema } from './graphql/schema.ts';
import { useAuthenticatedErrors } from './graphql/use-authenticated-errors.ts';
import { useCompiledExecution } from './graphql/use-compiled-execution.ts';
import { useFailureRecord } from './graphql/use-failure-record.ts';
import { useGraphiQL } from './graphql/use-graphiql.ts';
import { graphqlPath, useGraphqlEndpoint } from './graphql/use-graphql-endpoint.ts';
import { useOperationContext } from './graphql/use-operation-context.ts';
import { useVariableErrors } from './graphql/use-variable-errors.ts';
import { useHead } from './http/use-head.ts';
import { useResponseHeaders } from './http/use-response-headers.ts';
import { useTelemetry } from './observability/use-telemetry.ts';
import type { KeyUsageNotes, OperationLimits } from './operation.ts';
import { routes } from './rest/routes.ts';
import { useRest } from './rest/use-rest.ts';
import type { Secrets } from './secrets/secrets.ts';

/** What a gateway is made of. */
export interface GatewayDependencies {
  /** The issuers whose access tokens are accepted, at least one. */
  readonly trusted: readonly [TrustedIssuer, ...TrustedIssuer[]];
  /** The URL by which clients reach this service. */
  readonly publicUrl: string;
  /** The global entity manager. */
  readonly em: SqlEntityManager;
  readonly limits: OperationLimits;
  readonly secrets: Secrets;
  readonly keyUsage: KeyUsageNotes;
  /** Whether introspection is answered. */
  readonly introspection: boolean;
  readonly logger: Logger;
}

/** The gateway, GraphQL and REST, as a listener for node:http and as a fetch handler. */
export function createGateway(dependencies: GatewayDependencies) {
  const { trusted, publicUrl, em, limits, secrets, keyUsage, introspection, logger } = dependencies;
  const services = { db: new Db(em), limits, secrets, keyUsage };
  const issuers = trusted.map(({ config }) => config.issuer);
  return createYoga({
    schema,
    graphqlEndpoint: graphqlPath,
    // Yoga finds its health check by how a URL ends, so its path is one that no request can have.
    healthCheckEndpoint: ' ',
    landingPage: false,
    graphiql: false,
    cors: false,
    multipart: false,
    // `useGraphqlEndpoint` and `useRest` bound bodies; Yoga's own way pipes each through a transform stream.
    maxRequestBodySize: false,
    logging: false,
    maskedErrors: { maskError: createMaskError(translateError), errorMessage: 'Internal Server Error' },
    plugins: [
      useTelemetry(logger),
      useResponseHeaders(),
      useHead(),
      useResourceMetadata(publicUrl, issuers),
      useForwardAuth((secret) => verifySecret(services, secret), translateError),
      useRest(schema, trusted[0].config.issuer, translateError, routes, forwardAuthOpenApi),
      useGraphqlEndpoint(),
      useGraphiQL(),
      useAccessToken(trusted),
      useRequiredScopes(schema),
      useAuthenticatedErrors(),
      useOperationContext(services, logger),
      useVariableErrors(),
      useFailureRecord(),
      useCompiledExecution(),
      !introspection && noIntrospection,
    ],
  });
}

const noIntrospection: Plugin = {
  onValidate: ({ addValidationRule }) => addValidationRule(NoSchemaIntrospectionCustomRule),
};
