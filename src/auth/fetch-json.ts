import { isSecureUrl } from '../config/values/kinds.ts';

const maximumBytes = 1024 * 1024;
const timeoutMilliseconds = 5000;

/**
 * Reads a small JSON document from an identity provider or from another publisher of keys.
 * @throws {Error} for plain HTTP beyond this machine, a redirect, an error status, more than 1 MiB, more than 5
 *   seconds, or an answer that is not JSON
 */
export async function fetchJson(url: string): Promise<unknown> {
  if (!isSecureUrl(new URL(url))) throw new Error(`not HTTPS: ${url}`);
  const response = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  if (!response.ok) throw new Error(`status ${response.status} from ${url}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maximumBytes) throw new Error(`more than ${maximumBytes} bytes from ${url}`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`no JSON from ${url}`, { cause });
  }
}
