import { GatewayError } from '../../errors.ts';
import type { Exchange } from '../../http/exchange.ts';
import { decodeText } from '../../http/read-request.ts';

/** The media type of OAuth's requests. */
const formType = 'application/x-www-form-urlencoded';

/** Makes the error for a request that OAuth calls invalid (RFC 6749, section 5.2). */
export const invalidRequest = (message: string, cause?: unknown): GatewayError =>
  new GatewayError('BAD_REQUEST', message, { cause });

const isForm = (contentType = ''): boolean => contentType.split(';')[0]?.trim().toLowerCase() === formType;

/** Decodes the bytes of a form, which are ASCII in a body that is right, and UTF-8 in one that is not. */
function decode(body: Uint8Array): string {
  try {
    return decodeText(body);
  } catch (cause) {
    throw invalidRequest('The body is not valid UTF-8', cause);
  }
}

/**
 * Reads the parameters of a form. An empty one counts as missing (RFC 6749, section 3.2).
 * @param lists the names of those that may be repeated
 * @throws {GatewayError} `UNSUPPORTED_MEDIA_TYPE`; `BAD_REQUEST` if another is repeated
 */
export function readForm({ headers, body }: Exchange, lists: readonly string[] = []): URLSearchParams {
  const given = new URLSearchParams();
  if (!body?.length) return given;
  if (!isForm(headers['content-type']))
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', `The body must be ${formType}`, {
      // RFC 9110, section 12.5.1: what the body of a request may be.
      headers: { accept: formType },
    });
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(decode(body))) {
    if (seen.has(name) && !lists.includes(name)) throw invalidRequest('A parameter is repeated');
    seen.add(name);
    if (value !== '') given.append(name, value);
  }
  return given;
}

/**
 * Returns a parameter that must be there.
 * @throws {GatewayError} `BAD_REQUEST`
 */
export function required(form: URLSearchParams, name: string): string {
  const value = form.get(name);
  if (value === null) throw invalidRequest(`The parameter ${name} is missing`);
  return value;
}
