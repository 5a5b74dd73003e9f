import { type IncomingMessage, ServerResponse } from 'node:http';

/**
 * The class of a server's answers. From the moment that it stops, each says that it is the last of its connection
 * (`Connection: close`), and ends it: a client that keeps connections then makes a new one, in place of losing a request
 * with the old one.
 * @param isStopping whether the server stops
 */
export const lastAnswersOnce = (isStopping: () => boolean) =>
  class<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    override writeHead(...head: unknown[]): this {
      if (isStopping()) this.shouldKeepAlive = false;
      return super.writeHead(...(head as Parameters<ServerResponse['writeHead']>)) as this;
    }
  };
