import { Socket } from 'node:net';
import { Client, type ClientConfig, type PoolClient } from 'pg';

/** A connection to PostgreSQL that can be hung up at once. */
export class PostgresClient extends Client {
  /** The process of the server's that it leads to; a pooler says some other number. */
  declare readonly processID: number;
  readonly #socket: Socket;
  #isBroken = false;

  constructor(config?: ClientConfig) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.#socket = socket;
    // Also an event that nobody hears would end the process: whoever uses the connection is told anyway.
    this.on('error', () => {
      this.#isBroken = true;
    });
  }

  /** Whether what is asked is still sent. */
  get isOpen(): boolean {
    return !this.#isBroken && this.#socket.writable;
  }

  /**
   * Hangs up. What was asked fails, and of what the system still holds back nothing is sent: closing the socket in the
   * usual way would send it whenever the network is there again.
   */
  drop(): void {
    this.#isBroken = true;
    // A socket of a file has no reset, and holds nothing back.
    if (this.host.startsWith('/')) this.#socket.destroy();
    else this.#socket.resetAndDestroy();
  }

  /** Lets the process end, even if the other side never confirms the end of the connection. */
  leave(): void {
    this.#socket.unref();
  }
}

/** A connection that somebody has from the pool; it must be released. */
export type PooledClient = PostgresClient & Pick<PoolClient, 'release'>;
