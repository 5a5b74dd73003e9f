import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { discoverJwksUri, fetchVerificationKeys } from './auth/issuer-metadata.ts';
import { VerificationKeys } from './auth/verification-keys.ts';
import { type Config, ConfigError, type IssuerConfig } from './config.ts';
import { migrate, openDatabase } from './database/database.ts';
import { createGateway } from './gateway.ts';
import { greet } from './greeting.ts';
import { createHttpServer, listen, stop } from './http/server.ts';
import { describeError } from './observability/describe-error.ts';
import { createLogger } from './observability/logger.ts';

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
  const development = config.issuer ? undefined : import('./dev/development.ts');
  const database = started.use(await openDatabase(config.databaseFile));
  await migrate(database);

  let listener = starting;
  const server = createHttpServer((request, response) => listener(request, response));
  const port = await listen(server, config.port, config.host).catch(refusePort(config));
  started.defer(() => stop(server));

  const identityProvider = await (await development)?.startDevelopment({
    config,
    port,
    em: database.em.fork(),
  });
  const issuer = (config.issuer ?? identityProvider?.issuer) as IssuerConfig;
  const verificationKeys = started.use(createVerificationKeys(issuer, logger));
  const gateway = createGateway({
    issuer,
    verificationKeys,
    em: database.em,
    limits: { sessionDuration: config.sessionDuration },
    introspection: config.introspection,
    logger,
  });
  listener = identityProvider?.mount(gateway) ?? gateway;
  await verificationKeys.refresh();

  const stack = started.move();
  return {
    greeting: greet({ config, port, development: identityProvider !== undefined }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function createVerificationKeys({ issuer }: IssuerConfig, logger: Logger): VerificationKeys {
  const read = async () => fetchVerificationKeys(await discoverJwksUri(issuer));
  return new VerificationKeys(read, (error) =>
    logger.warn({ issuer, error: describeError(error) }, 'verification keys could not be read'),
  );
}

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
