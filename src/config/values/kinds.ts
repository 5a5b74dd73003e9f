import { readFileSync } from 'node:fs';
import { z } from 'zod';

declare module 'zod' {
  /** What the documentation and the fault messages say about a variable. */
  interface GlobalMeta {
    /**
     * A valid value, as a person writes it in a shell. It must never be a value that somebody might keep, such as a
     * secret.
     */
    example?: string | undefined;
    /** What happens if the variable is not set, in words; if missing, the schema's default stands there. */
    unset?: string | undefined;
  }
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether a URL is safe for keys: HTTPS, or plain HTTP that does not leave this machine. */
export const isSecureUrl = (url: URL): boolean =>
  url.protocol === 'https:' || (url.protocol === 'http:' && loopback.test(url.hostname));

/** Splits a comma-separated text: `"a, b,"` → `["a", "b"]`. */
const split = (text: string): readonly string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/**
 * A comma-separated list.
 * @param isItem whether a text may be an item of the list
 * @param wanted the fault message for any other item
 */
export const listOf = (isItem: (text: string) => boolean, wanted: string) =>
  z
    .string('must be a text')
    .transform(split)
    .refine((list) => list.every(isItem), wanted);

const numeral = (min: number, max: number, wanted: string) =>
  z
    .string()
    .regex(/^\d{1,9}$/, wanted)
    .transform(Number)
    .refine((value) => value >= min && value <= max, wanted);

/** A whole number in decimal digits, within inclusive bounds. */
export const integer = (min: number, max: number) =>
  numeral(min, max, `must be a whole number from ${min} to ${max}`);

/** A time in whole seconds (the unit of all times in the environment), within inclusive bounds. */
export const seconds = (min: number, max: number) =>
  numeral(min, max, `must be a whole number of seconds from ${min} to ${max}`);

/** `on` or `off`. */
export const onOrOff = z.enum(['on', 'off'], 'must be "on" or "off"').transform((value) => value === 'on');

const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const nameOrAddress = new RegExp(String.raw`^(?:${label}(?:\.${label})*\.?|\[[\da-f:.]+\])$`);

/**
 * Whether the host of a URL is a valid name or address. The URL parser accepts other hosts too, such as one with
 * quotation marks, which would break the quoting of header fields.
 */
export const hasValidHost = ({ hostname }: URL): boolean => nameOrAddress.test(hostname);

/** Makes a test for a URL. A text that is no URL passes, because it already has another fault. */
export const isUrl =
  (holds: (url: URL) => boolean) =>
  (value: string): boolean =>
    !URL.canParse(value) || holds(new URL(value));

/** An absolute URL with a host. The URL parser takes the `localhost` of `localhost:4318` for a scheme. */
export const url = z
  .string('must be a URL')
  .refine((value) => URL.canParse(value) && new URL(value).host !== '', {
    error: 'must be a URL',
    abort: true,
  })
  .refine(isUrl(hasValidHost), 'must have a valid host: letters, digits, dots and hyphens');

/** Makes the arguments of zod's `refine` for a URL that lacks a part. */
const without = (part: string, lacks: (url: URL) => boolean) =>
  [isUrl(lacks), `must not have ${part}`] as const;

// A fragment is never sent.
const withoutFragment = without('a fragment', ({ hash, href }) => hash === '' && !href.endsWith('#'));

const withoutQuery = without('a query', ({ search, href }) => search === '' && !href.endsWith('?'));

// Operators see the URL.
const withoutUser = without(
  'a user name or password',
  ({ username, password }) => username + password === '',
);

/** A URL that is safe for keys. */
export const secureUrl = url
  .refine(isUrl(isSecureUrl), 'must begin with https:// (http:// is allowed for this machine only)')
  .refine(...withoutUser)
  .refine(...withoutFragment);

/** A URL to which a path is appended. */
export const baseUrl = url
  .refine(...withoutUser)
  .refine(...withoutQuery)
  .refine(...withoutFragment);

/** The identifier of an issuer (RFC 8414, section 2): the URL of its metadata begins with it. */
export const issuerUrl = secureUrl.refine(...withoutQuery);

/** A list of names: a JSON list, or a comma-separated text. */
export const names = z.union(
  [
    z.string().transform(split),
    z.array(z.string()).transform((list): readonly string[] => list.filter((name) => name.trim() !== '')),
  ],
  'must be a text or a list of texts',
);

/**
 * A JSON text.
 * @param wanted the fault message for a text that is no JSON
 */
export const json = (wanted: string) =>
  z.string().transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue(wanted);
      return z.NEVER;
    }
  });

/** An object with no other members. The message does not repeat an unknown name: it may be a misplaced secret. */
export const objectOf = <Members extends z.core.$ZodLooseShape>(members: Members) =>
  z.strictObject(members, {
    error: ({ code }) =>
      code === 'unrecognized_keys'
        ? `may only have the members ${Object.keys(members).join(', ')}`
        : 'must be an object',
  });

/** The path of a file; the value is the file's trimmed text. */
export const textOfFile = z.string().transform((path, context) => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    context.addIssue(`names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`);
    return z.NEVER;
  }
});
