import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  /** The status line and the header fields. */
  readonly head: string;
  /** The header fields in their order, as they were spelled. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

const parseHead = (head: string) => {
  const [first = '', ...lines] = head.split('\r\n');
  const fields = lines.map((line): [string, string] => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]), head, fields };
};

/** Whether a body is there as a whole, as far as its header fields tell. */
function isWhole(body: string, fields: RawAnswer['fields']): boolean {
  const length = fields.find(([name]) => name.toLowerCase() === 'content-length')?.[1];
  return length === undefined ? body.endsWith('0\r\n\r\n') : body.length >= Number(length);
}

/** The final answer in what was received; undefined where it is not there yet, or not as a whole. */
function parse(received: string, isHead: boolean): RawAnswer | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const answer = parseHead(received.slice(0, end));
  const body = received.slice(end + 4);
  if (answer.status < 200) return parse(body, isHead);
  return isHead || answer.status === 204 || isWhole(body, answer.fields) ? { ...answer, body } : undefined;
}

/** How long an answer may take, in milliseconds. */
const patience = 20_000;

/**
 * Sends a request as it is written, each character a byte, and reads the answer: no client would send what is sent here.
 * What follows the answer on the connection counts to its body.
 * @throws {Error} where it does not come
 */
export function sendRaw(port: number, request: string): Promise<RawAnswer> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  const isHead = request.startsWith('HEAD ');
  let received = '';
  return new Promise<RawAnswer>((resolve, reject) => {
    const refuse = () => reject(new Error(`No answer, but ${JSON.stringify(received.slice(0, 300))}`));
    socket.setTimeout(patience, refuse);
    // It may be ended while there is more to send.
    socket.on('error', () => {}).on('close', refuse);
    socket.on('data', (text: string) => {
      received += text;
      const answer = parse(received, isHead);
      if (answer) resolve(answer);
    });
    socket.write(request, 'latin1');
  }).finally(() => socket.destroy());
}

/** A connection that sends what it is given, and reads nothing. */
export async function openUnread(port: number, text: string): Promise<Socket & Disposable> {
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(text);
  return Object.assign(socket, { [Symbol.dispose]: () => void socket.destroy() });
}
