import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that wait for their turn, by connection. */
class Waiting {
  readonly #most: number;
  readonly #counts = new Map<Socket, number>();
  #total = 0;

  /** @param most the most that may wait, on all connections together */
  constructor(most: number) {
    this.#most = most;
  }

  /** One more waits; where that is too many, the connection with the most of them is closed. */
  add(socket: Socket): void {
    const count = this.#counts.get(socket);
    if (count === undefined) socket.once('close', () => this.#forget(socket));
    this.#counts.set(socket, (count ?? 0) + 1);
    this.#total += 1;
    if (this.#total > this.#most) this.#closeLongest();
  }

  /** One waits no longer. */
  remove(socket: Socket): void {
    this.#counts.set(socket, (this.#counts.get(socket) ?? 0) - 1);
    this.#total -= 1;
  }

  #closeLongest(): void {
    const [socket] = [...this.#counts].reduce((longest, each) => (each[1] > longest[1] ? each : longest));
    this.#forget(socket);
    socket.destroy();
  }

  #forget(socket: Socket): void {
    this.#total -= this.#counts.get(socket) ?? 0;
    this.#counts.delete(socket);
  }
}

/**
 * Has the requests of a connection answered in turn: each once the answer before it is written, and once other
 * connections had their turn. So a client that sends many and reads nothing costs one answer and what waits, and nobody
 * waits for all that it asked for. While an answer waits to be read, Node reads no more from its connection.
 * @param mostWaiting the most requests that may wait, on all connections together: each takes some three kilobytes.
 *   Where there are more, the connection with the most of them is closed.
 */
export function inTurn(listener: RequestListener, mostWaiting = 10_000): RequestListener {
  const waiting = new Waiting(mostWaiting);
  return (request, response) => {
    const { socket } = request;
    // Node gives a response its connection when the answers before it are written.
    if (response.socket) return listener(request, response);
    // What came in one piece with the request that was one too many.
    if (socket.destroyed) return;
    waiting.add(socket);
    response.once('socket', () => {
      if (socket.destroyed) return;
      waiting.remove(socket);
      setImmediate(listener, request, response);
    });
  };
}
