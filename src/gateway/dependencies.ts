import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Logger } from 'pino';
import type { TrustedIssuer } from '../auth/trusted-issuer.ts';
import type { EdgeConfig } from '../config/config.ts';
import type { ServerCredential } from '../config/values/server-credentials.ts';
import type { SchemaState } from '../database/current-db.ts';
import type { LeakReportOptions } from '../door/leak-reports/answer-leak-reports.ts';
import type { Listeners } from '../graphql/run-operation.ts';
import type { DocumentLimits } from '../graphql/use-document-limits.ts';
import type { Finisher } from '../http/exchange.ts';
import type { Load } from '../http/load.ts';
import type { Limiters } from '../http/rate-limits/limiter.ts';
import type { KeyGuesses } from '../http/rate-limits/of-addresses.ts';
import type { Tracing } from '../observability/tracing/tracing.ts';
import type { OperationServices } from '../operations/context.ts';
import type { ShownPages } from '../pages/show-pages.ts';

/** The dependencies of a gateway. */
export interface GatewayDependencies extends Listeners {
  /** The issuers whose access tokens the service accepts, at least one. */
  readonly trusted: readonly [TrustedIssuer, ...TrustedIssuer[]];
  /** The secrets of servers that sign in without an identity provider. */
  readonly servers?: readonly ServerCredential[] | undefined;
  /** The URL by which clients reach this service. */
  readonly publicUrl: string;
  /** The global entity manager. */
  readonly em: SqlEntityManager;
  readonly services: OperationServices;
  /** Whether this version can still work with the schema of the database; undefined: it can. */
  readonly schemaState?: SchemaState | undefined;
  /** The most bytes of a body. */
  readonly bodyLimit: number;
  /** The time after which a request gets the answer 503, in milliseconds; undefined: never. */
  readonly answerTimeout?: number;
  /** The limits of a caller's GraphQL document. */
  readonly documents: DocumentLimits;
  /** Whether the service answers introspection. */
  readonly introspection: boolean;
  /** Whether the service offers the operators' fields and routes. */
  readonly operators: boolean;
  /** The handling of leak reports; undefined: the service accepts none. */
  readonly leakReports?: LeakReportOptions | undefined;
  /** The pages for a browser; undefined: none. */
  readonly pages: ShownPages | undefined;
  readonly edge: Edge;
  readonly logger: Logger;
  /** Whether the log line of a request shows the client's address. */
  readonly logsAddress: boolean;
  /** Measures requests; undefined: no metrics. */
  readonly metrics?: Finisher | undefined;
  /** Traces requests; undefined: no tracing. */
  readonly tracing?: Tracing | undefined;
}

/** The parts for proxies, browsers and load. */
export interface Edge extends Omit<EdgeConfig, 'rates' | 'maxInFlight'> {
  readonly load: Load;
  readonly limiters: Limiters;
  /** Limits the number of API keys that an address may try at the reverse proxy; undefined: no limit. */
  readonly keyGuesses?: KeyGuesses | undefined;
}
