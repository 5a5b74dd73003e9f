import { KeywardError } from './types.ts';

/** The most bytes of an answer. */
const longest = 1_000_000;

/** How long to wait before another attempt to connect, in milliseconds. */
const pause = 100;

/** Says that an answer is not what it should be. */
export const malformed = () => new KeywardError('The answer of Keyward is malformed');

/** What errors of Node's `fetch` say about their cause. */
interface Cause {
  readonly code?: string;
  readonly syscall?: string;
  readonly errors?: readonly Cause[];
}

/** The first cause of an error: Node tries several addresses of a host, and has an error for each. */
function causeOf(error: unknown): Cause {
  const { cause } = (error ?? {}) as { cause?: Cause };
  return cause?.errors?.[0] ?? cause ?? {};
}

/** Sends a request. If there is no connection, so that nothing was sent, tries once more. */
async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    const { code, syscall } = causeOf(error);
    if (!/^(connect|getaddrinfo|UND_ERR_CONNECT_TIMEOUT)$/.test(syscall ?? `${code}`)) throw error;
    await new Promise((resolve) => setTimeout(resolve, pause));
    return fetch(url, init);
  }
}

/** Reads a body that must be UTF-8, and not too long. */
async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  if (!body) return '';
  const reader = body.getReader();
  let text = '';
  for (let length = 0; ; ) {
    const { value } = await reader.read();
    if (!value) return text + decoder.decode();
    length += value.length;
    if (length > longest) throw malformed();
    text += decoder.decode(value, { stream: true });
  }
}

function refusedWith({ status, headers }: Response): KeywardError {
  const seconds = Number(/^\d{1,4}$/.exec(headers.get('retry-after') ?? '')?.[0]);
  const retryAfter = seconds >= 1 && seconds <= 3600 ? seconds : 1;
  return new KeywardError(`Keyward answered with status ${status}`, { status, retryAfter });
}

/**
 * Sends a request and reads the JSON of its answer. Follows no redirect. Sends the request again only if there was no
 * connection; so does `fetch` if a server says that the request was not meant for it (421).
 * @returns undefined if the answer is not JSON
 * @throws {KeywardError} if the status is not 200, or the answer is too long
 */
export async function fetchJson(url: string, init: RequestInit): Promise<unknown> {
  const response = await send(url, { ...init, redirect: 'manual', cache: 'no-store' });
  if (response.status !== 200) throw refusedWith(response);
  const text = await readText(response);
  try {
    return JSON.parse(text);
  } catch {
    // The error would quote the text.
    return undefined;
  }
}

/**
 * Runs something for a limited time, then aborts it.
 * @throws {KeywardError} whatever fails
 */
export async function within<Result>(
  milliseconds: number,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new KeywardError('Keyward did not answer in time')), milliseconds);
  });
  try {
    return await Promise.race([run(controller.signal), end]);
  } catch (error) {
    if (error instanceof KeywardError) throw error;
    const reason = causeOf(error).code ?? (error as Error).name;
    throw new KeywardError(`Keyward could not be asked: ${reason}`, { cause: error });
  } finally {
    clearTimeout(timer);
    // Frees the connection of an answer that was not read to its end.
    controller.abort();
  }
}

/** Calls `onError`, which may do what it likes: nobody waits for it, and its failure is nobody's. */
export function tell(onError: (error: KeywardError) => unknown, error: KeywardError): void {
  const call = async () => onError(error);
  call().catch(() => undefined);
}

/** Says in one line what failed. */
export const logError = ({ message }: KeywardError): void =>
  // biome-ignore lint/suspicious/noConsole: every runtime has it, and on Node it writes to stderr
  console.error(`keyward: ${message}`);
