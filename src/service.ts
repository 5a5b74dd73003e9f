import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { type TrustedIssuer, trustIssuer } from './auth/trusted-issuer.ts';
import { type Config, ConfigError, type IssuerConfig } from './config.ts';
import { openDatabase } from './database/database.ts';
import { assertMigrated, migrate } from './database/migrate.ts';
import { watchDatabase } from './database/watchdog.ts';
import { createGateway } from './gateway.ts';
import { baseUrl, greet } from './greeting.ts';
import { serve } from './http/serve.ts';
import { createHttpServer, listen, stop } from './http/server.ts';
import { describeError } from './observability/describe-error.ts';
import { createLogger } from './observability/logger.ts';
import { createSecrets } from './secrets/secrets.ts';

/** A running service; disposing of it stops it. */
export interface Service extends AsyncDisposable {
  /** What to print now that it is ready. */
  readonly greeting: string;
}

const starting: RequestListener = (_request, response) => {
  response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' });
  response.end('{"detail":"Service Unavailable"}');
};

/**
 * Starts everything: database, HTTP server, identity provider for development where no other is configured, gateway.
 * @throws {ConfigError} where it cannot be done with this configuration
 */
export async function startService(config: Config): Promise<Service> {
  await using started = new AsyncDisposableStack();
  const logger = createLogger(config.logLevel);
  const development = config.issuers.length > 0 ? undefined : import('./dev/development.ts');
  const orm = started.use(await openDatabase(config.database));
  await (config.database.migrateAtStart ? migrate(orm, config.database) : assertMigrated(orm));
  started.use(watchDatabase(orm, () => endHung(logger)));
  const secrets = createSecrets(config.secrets ?? (await developmentSecrets(config)));

  let listener = starting;
  const server = createHttpServer((request, response) => listener(request, response));
  const port = await listen(server, config.port, config.host).catch(refusePort(config));
  started.defer(() => stop(server));

  const identityProvider = await (await development)?.startDevelopment({
    config,
    port,
    em: orm.em.fork(),
    secrets,
  });
  const issuers = identityProvider ? [identityProvider.issuer] : config.issuers;
  const trusted = issuers.map((issuer) => trust(issuer, logger)) as [TrustedIssuer, ...TrustedIssuer[]];
  for (const { keys } of trusted) started.use(keys);
  const gateway = createGateway({
    trusted,
    publicUrl: config.publicUrl ?? baseUrl(config.host, port),
    em: orm.em,
    limits: { sessionDuration: config.sessionDuration },
    introspection: config.introspection,
    logger,
  });
  const serveGateway = serve(gateway);
  listener = identityProvider?.mount(serveGateway) ?? serveGateway;
  await Promise.all(trusted.map(({ keys }) => keys.refresh()));

  const stack = started.move();
  return {
    greeting: greet({ config, port, development: identityProvider !== undefined }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const developmentSecrets = async (config: Config) =>
  (await import('./dev/development-secrets.ts')).developmentSecrets(config);

/** Ends a process whose database connection hangs: a supervisor starts it again, with a new one. */
function endHung(logger: Logger): never {
  logger.fatal('the database connection hangs: ending the process');
  process.exit(1);
}

const trust = (issuer: IssuerConfig, logger: Logger): TrustedIssuer =>
  trustIssuer(issuer, (error) =>
    logger.warn(
      { issuer: issuer.issuer, error: describeError(error) },
      'verification keys could not be read',
    ),
  );

const refusePort =
  ({ host, port }: Config) =>
  (error: NodeJS.ErrnoException): never => {
    const reasons: Record<string, string> = {
      EADDRINUSE: `PORT ${port} is in use on ${host}: set another one`,
      EACCES: `PORT ${port} may not be used by this user: set one above 1023`,
      EADDRNOTAVAIL: `HOST ${host} is no address of this machine`,
    };
    const reason = reasons[error.code ?? ''];
    throw reason ? new ConfigError([reason]) : error;
  };
