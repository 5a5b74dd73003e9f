import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { Health } from './health.ts';
import { createHttpServer, listen, stop } from './server.ts';
import { answerShortly, refusal } from './short-answer.ts';

const starting: RequestListener = (_request, response) => {
  answerShortly(response, 503, refusal(503), { 'retry-after': '1' });
};

/**
 * Listens on the configured port. Health is answered from then on; anything else is 503 until there is what serves it.
 * Disposing of it ends health's readiness, says in each answer that its connection closes, waits for those who go by
 * either, answers what is in flight, and closes.
 * @throws {ConfigError} where nothing can listen there
 */
export async function openServer(config: Config, logger: Logger) {
  const health = new Health();
  let listener = starting;
  let isStopping = false;
  const server = createHttpServer(
    (request, response) => health.answer(request, response) || listener(request, response),
    config.http,
    logger,
    () => isStopping,
  );
  const port = await listen(server, config.port, config.host).catch(refusePort(config));
  return {
    port,
    health,
    handOver: (next: RequestListener): void => {
      listener = next;
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      isStopping = true;
      const seconds = config.shutdownDelay / 1000;
      if (seconds > 0) logger.info({ seconds }, 'still answering, while load balancers take notice');
      await health.stop(config.shutdownDelay);
      await stop(server, logger);
    },
  };
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
