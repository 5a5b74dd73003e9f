import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Whether a response is all there: it says its length, or ends with the last chunk. */
function isWhole(response: string): boolean {
  const headEnd = response.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const [, length] = /\r\ncontent-length: *(\d+)\r\n/i.exec(response) ?? [];
  return length === undefined
    ? response.endsWith('\r\n0\r\n\r\n')
    : response.length >= headEnd + 4 + Number(length);
}

/**
 * An HTTP/1.1 connection for load: it sends prepared requests, one at a time, and of the answers only looks at the
 * status. The less a load generator does, the less it takes from a server on the same machine.
 */
export class Connection {
  readonly #socket: Socket;
  #response = '';
  #onAnswer: (status: number) => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket.setNoDelay().setEncoding('latin1');
    socket.on('data', (text: unknown) => this.#receive(String(text)));
    socket.on('end', () => socket.destroy(new Error('The server closed a connection.')));
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** Sends a request as it goes over the wire; nothing else may be under way. */
  send(request: string, onAnswer: (status: number) => void): void {
    this.#response = '';
    this.#onAnswer = onAnswer;
    this.#socket.write(request, 'latin1');
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(text: string): void {
    this.#response += text;
    // The status stands behind "HTTP/1.1 ".
    if (isWhole(this.#response)) this.#onAnswer(Number(this.#response.slice(9, 12)));
  }
}
