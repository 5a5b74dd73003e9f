import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import { verifySecret } from './api-keys/verify-secret.ts';
import type { TrustedIssuer } from './auth/trusted-issuer.ts';
import { useAccessToken } from './auth/use-access-token.ts';
import { useRequiredScopes } from './auth/use-required-scopes.ts';
import { useResourceMetadata } from './auth/use-resource-metadata.ts';
import type { DocumentLimits, EdgeConfig, PagesConfig } from './config/config.ts';
import { Db } from './database/db.ts';
import { translateError } from './database/translate-error.ts';
import { forwardAuthOpenApi } from './forward-auth/openapi.ts';
import { useForwardAuth } from './forward-auth/use-forward-auth.ts';
import { createDocumentCache } from './graphql/document-cache.ts';
import { useAuthenticatedErrors } from './graphql/use-authenticated-errors.ts';
import { useDocumentLimits } from './graphql/use-document-limits.ts';
import { useExecutor } from './graphql/use-executor.ts';
import { useFailureRecord } from './graphql/use-failure-record.ts';
import { useGraphqlEndpoint } from './graphql/use-graphql-endpoint.ts';
import { useInputErrors } from './graphql/use-input-errors.ts';
import { useIntrospection } from './graphql/use-introspection.ts';
import { useKnownDocuments } from './graphql/use-known-documents.ts';
import { useOperationContext } from './graphql/use-operation-context.ts';
import { useOperationRecord } from './graphql/use-operation-record.ts';
import type { Load } from './http/load.ts';
import type { AnyPlugin } from './http/request-hooks.ts';
import { useCors } from './http/use-cors.ts';
import { useForwarded } from './http/use-forwarded.ts';
import { useHead } from './http/use-head.ts';
import { useLoadShedding } from './http/use-load-shedding.ts';
import { useResponseHeaders } from './http/use-response-headers.ts';
import { describeError } from './observability/describe-error.ts';
import type { RequestRecord, WithRecord } from './observability/request-record.ts';
import type { Tracing } from './observability/tracing/tracing.ts';
import { useTelemetry } from './observability/use-telemetry.ts';
import type { KeyUsageNotes, OperationLimits } from './operation.ts';
import { usePages } from './pages/use-pages.ts';
import type { Limiters } from './rate-limits/create-limiters.ts';
import type { WithQuotas } from './rate-limits/limiter.ts';
import { useAccountLimit } from './rate-limits/use-account-limit.ts';
import { useAddressLimit } from './rate-limits/use-address-limit.ts';
import { useQuotaHeaders } from './rate-limits/use-quota-headers.ts';
import { routes } from './rest/routes.ts';
import { createSofa } from './rest/sofa.ts';

import { useRest } from './rest/use-rest.ts';
import { schema } from './schema.ts';
import type { Secrets } from './secrets/secrets.ts';

const sofa = createSofa(schema, routes);

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
  /** The most bytes of a body. */
  readonly bodyLimit: number;
  readonly documents: DocumentLimits;
  /** Whether introspection is answered. */
  readonly introspection: boolean;
  /** The pages for a browser; undefined: there are none. */
  readonly pages: PagesConfig | undefined;
  readonly edge: Edge;
  readonly logger: Logger;
  /** Measures requests; undefined: nothing does. */
  readonly metrics?: Plugin<WithRecord, WithRecord> | undefined;
  /** Traces requests; undefined: nothing does. */
  readonly tracing?: Tracing | undefined;
}

/** What stands between callers and the operations. */
export interface Edge extends Omit<EdgeConfig, 'rates' | 'maxInFlight'> {
  readonly load: Load;
  readonly limiters: Limiters;
}

/** The plugins of a gateway, in the order in which a request meets them. */
export function createPlugins(dependencies: GatewayDependencies): AnyPlugin[] {
  const { trusted, publicUrl, em, limits, secrets, keyUsage, introspection, pages, logger } = dependencies;
  const { bodyLimit, documents, metrics, tracing, edge } = dependencies;
  const { limiters, trustedProxies, corsOrigins } = edge;
  const services = { db: new Db(em), limits, secrets, keyUsage };
  const servicesOf = (record: RequestRecord) =>
    tracing ? { ...services, db: tracing.db(em, record) } : services;
  return [
    ...(trustedProxies.length > 0 ? [useForwarded(trustedProxies)] : []),
    ...(corsOrigins.length > 0 ? [useCors(corsOrigins)] : []),
    useTelemetry(logger),
    ...(metrics ? [metrics] : []),
    ...(tracing ? [tracing.request] : []),
    useResponseHeaders(edge.hstsMaxAge),
    ...(Object.keys(limiters).length > 0 ? [useQuotaHeaders()] : []),
    useLoadShedding(edge.load),
    useHead(),
    useResourceMetadata(publicUrl, issuersOf(trusted)),
    useForwardAuth<WithRecord & WithQuotas>(
      (secret, record) => verifySecret(servicesOf(record), secret),
      translateError,
      limiters.apiKey?.count,
    ),
    ...(limiters.address ? [useAddressLimit(limiters.address, edge.exemptAddresses)] : []),
    ...(pages ? [usePages(trusted[0].config, pages, reportProvider(logger))] : []),
    useRest(sofa, trusted[0].config.issuer, translateError, forwardAuthOpenApi, bodyLimit),
    useGraphqlEndpoint(bodyLimit),
    useAccessToken(trusted, tracing?.tokenCheck),
    ...(limiters.account || limiters.verifier ? [useAccountLimit(limiters.account, limiters.verifier)] : []),
    useRequiredScopes(schema),
    useAuthenticatedErrors(),
    useOperationContext(services, logger),
    useInputErrors(),
    useFailureRecord(),
    useOperationRecord(),
    useIntrospection(introspection),
    useDocumentLimits(documents),
    useKnownDocuments(createDocumentCache(documents.cache)),
    useExecutor(sofa.compiledOf),
    ...(tracing ? [tracing.operations(em)] : []),
  ];
}

const issuersOf = (trusted: readonly TrustedIssuer[]) => trusted.map(({ config }) => config.issuer);

const reportProvider = (logger: Logger) => (error: unknown) =>
  logger.warn({ error: describeError(error) }, 'the identity provider could not be asked where to sign in');
