import { fromBase64 } from './base64.ts';
import type { WebhookEvent } from './generated/openapi.ts';
import { valuesOf } from './request.ts';
import type { CallerRequest } from './types.ts';

export type { WebhookEvent };

/** How old or how far ahead a message may be, in seconds. */
const tolerance = 300;

/** The most signatures that are tried. Keyward sends one for each secret. */
const mostSignatures = 9;

const algorithm = { name: 'HMAC', hash: 'SHA-256' };

/** Reads a signature. What is none has no bytes. */
function toBytes(text: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64(text);
  } catch {
    return new Uint8Array();
  }
}

/**
 * Verifies a webhook (https://www.standardwebhooks.com) of the last five minutes. One may come twice: remember its
 * `webhook-id`.
 * @param headers of Fetch or of Node
 * @param body as it came, byte for byte
 * @param secret of the endpoint (`whsec_…`)
 * @throws {Error} if the webhook is not valid
 */
export async function verifyWebhook(
  headers: CallerRequest['headers'],
  body: string | ArrayBuffer | Uint8Array,
  secret: string,
): Promise<WebhookEvent> {
  const read = (name: string) => valuesOf({ headers }, `webhook-${name}`)[0] ?? '';
  const [id, time, signatures] = [read('id'), read('timestamp'), read('signature')];
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= tolerance))
    throw new Error('The webhook is too old or too new');
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
  const signed = await new Blob([`${id}.${time}.`, body as BlobPart]).arrayBuffer();
  // Takes the same time wherever a wrong signature differs.
  for (const [version, signature = ''] of signatures
    .split(' ', mostSignatures)
    .map((text) => text.split(',')))
    if (version === 'v1' && (await crypto.subtle.verify('HMAC', key, toBytes(signature), signed)))
      return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
  throw new Error('The webhook has no valid signature');
}
