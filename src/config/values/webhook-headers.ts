import { z } from 'zod';

/** The most headers of an endpoint, and the most characters of a name and of a value. */
export const mostWebhookHeaders = 10;
export const longestHeaderName = 64;
export const longestHeaderValue = 1024;

/** Headers that Keyward sets itself, or that frame the message. */
const taken =
  /^(connection|content-.*|date|expect|forwarded|host|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade|user-agent|via|webhook-.*)$/;

/**
 * What receivers make of a name: HTTP ignores case, and CGI, WSGI and PHP also read `_` for `-` (RFC 3875, section
 * 4.1.18). `Webhook_Id` → `webhook-id`.
 */
const asReceived = (name: string): string => name.toLowerCase().replaceAll('_', '-');

const isName = (name: string): boolean =>
  name.length <= longestHeaderName && /^[a-z][a-z0-9_-]*$/i.test(name) && !taken.test(asReceived(name));

/** Visible ASCII, with spaces and tabs between: what every server reads alike (RFC 9110, section 5.5). */
const isValue = (value: unknown): boolean =>
  typeof value === 'string' &&
  value.length <= longestHeaderValue &&
  /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value);

const isOnce = (names: readonly string[]): boolean => new Set(names.map(asReceived)).size === names.length;

/**
 * Makes the rule for the headers of an endpoint: an object of names and values. The messages never repeat a name or a
 * value, because either may be a secret in the wrong place.
 * @param say makes a message from the rest of a sentence that begins with the object: `must have …`
 */
export const webhookHeaders = (say: (text: string) => string) =>
  z
    .custom<Readonly<Record<string, unknown>>>(
      (given) => typeof given === 'object' && given !== null && !Array.isArray(given),
      say('must be an object of names and values'),
    )
    .refine((headers) => Object.keys(headers).length <= mostWebhookHeaders, {
      error: say(`must have at most ${mostWebhookHeaders} headers`),
      abort: true,
    })
    .refine(
      (headers) => Object.keys(headers).every(isName),
      say(
        `must have names of up to ${longestHeaderName} letters, digits, hyphens and underscores, and none that Keyward sets itself, such as Host, Content-Type or webhook-id, with hyphens or underscores`,
      ),
    )
    .refine(
      (headers) => isOnce(Object.keys(headers)),
      say('must have each name once; hyphens and underscores are the same'),
    )
    .refine(
      (headers) => Object.values(headers).every(isValue),
      say(
        `must have values of 1 to ${longestHeaderValue} visible ASCII characters, with spaces only between them`,
      ),
    )
    .transform((headers) => headers as Readonly<Record<string, string>>);
