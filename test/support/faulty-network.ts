import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Which way bytes go. */
type Direction = 'to the server' | 'to the client';

/** A connection through the network, and what waits in it. */
class Line {
  readonly #ends: Readonly<Record<Direction, Socket>>;
  readonly #waiting: (() => void)[] = [];
  /** How many pieces still pass each way. */
  readonly #passes: Record<Direction, number> = { 'to the server': Infinity, 'to the client': Infinity };
  /** Whether one end has hung up at once, and the system held nothing back to be sent later. */
  wasReset = false;

  constructor(client: Socket, server: Socket, swallows: () => boolean) {
    this.#ends = { 'to the server': server, 'to the client': client };
    const pass = (from: Socket, direction: Direction) => {
      from.on(
        'data',
        (bytes) => swallows() || this.#pass(direction, () => this.#ends[direction].write(bytes)),
      );
      from.on('error', ({ code }: NodeJS.ErrnoException) => {
        this.wasReset ||= code === 'ECONNRESET';
      });
      // An end is held up like everything else.
      from.on('close', () => swallows() || this.#pass(direction, () => this.#ends[direction].end()));
    };
    pass(client, 'to the server');
    pass(server, 'to the client');
  }

  get holdsBack(): boolean {
    return this.#waiting.length > 0;
  }

  stallAfter(pieces: number, direction: Direction): void {
    this.#passes[direction] = pieces;
  }

  resume(): void {
    for (const direction of ['to the server', 'to the client'] as const) this.#passes[direction] = Infinity;
    for (const pass of this.#waiting.splice(0)) pass();
  }

  destroy(): void {
    for (const socket of Object.values(this.#ends)) socket.destroy();
  }

  #pass(direction: Direction, pass: () => void): void {
    this.#passes[direction] -= 1;
    if (this.#passes[direction] < 0) this.#waiting.push(pass);
    else pass();
  }
}

/** A network before a server that loses bytes without a word, or delivers them late, whoever has hung up meanwhile. */
export async function startFaultyNetwork(server: string) {
  const { hostname, port } = new URL(server);
  const lines = new Set<Line>();
  let swallows = false;
  const network = createServer((client) => {
    const server = connect(Number(port), hostname);
    lines.add(new Line(client, server, () => swallows));
  }).listen(0, '127.0.0.1');
  await once(network, 'listening');
  return {
    /** The URL of one of the server's databases, by way of it. */
    through: (url: string): string =>
      Object.assign(new URL(url), { host: `127.0.0.1:${(network.address() as AddressInfo).port}` }).href,
    /** Of each connection that something is held back on: whether a reset has ended it. */
    stalled: (): readonly boolean[] =>
      [...lines].filter(({ holdsBack }) => holdsBack).map(({ wasReset }) => wasReset),
    /** Loses everything from now on, or nothing more. */
    swallow: (all: boolean): void => {
      swallows = all;
    },
    /** Lets so many more pieces pass on each connection that is open now, and holds back what comes after. */
    stallAfter: (pieces: number, direction: Direction): void => {
      for (const line of lines) line.stallAfter(pieces, direction);
    },
    /** Delivers all that was held back. */
    resume: (): void => {
      for (const line of lines) line.resume();
    },
    [Symbol.dispose]: () => {
      for (const line of lines) line.destroy();
      network.close();
    },
  };
}
