import { readFileSync } from 'node:fs';
import { z } from 'zod';

declare module 'zod' {
  /** What is told of a variable in the documentation and beside its faults. */
  interface GlobalMeta {
    /** A value that would do, as it is written in a shell. Never one that might be kept, such as a secret. */
    example?: string | undefined;
    /** What holds where the variable is not set, in words; without it, the schema's own default. */
    unset?: string | undefined;
  }
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether a URL may be trusted with keys: HTTPS, or plain HTTP that does not leave this machine. */
export const isSecureUrl = (url: URL): boolean =>
  url.protocol === 'https:' || (url.protocol === 'http:' && loopback.test(url.hostname));

/** The items of a text with commas between them. */
export const split = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

const numeral = (min: number, max: number, wanted: string) =>
  z
    .string()
    .regex(/^\d{1,9}$/, wanted)
    .transform(Number)
    .refine((value) => value >= min && value <= max, wanted);

/** A whole number in decimal digits; both bounds are allowed. */
export const integer = (min: number, max: number) =>
  numeral(min, max, `must be a whole number from ${min} to ${max}`);

/** A time in seconds, as all times in the environment are; both bounds are allowed. */
export const seconds = (min: number, max: number) =>
  numeral(min, max, `must be a whole number of seconds from ${min} to ${max}`);

/** `on` or `off`. */
export const onOrOff = z.enum(['on', 'off'], 'must be "on" or "off"').transform((value) => value === 'on');

/** An absolute URL. */
export const url = z.string('must be a URL').refine((value) => URL.canParse(value), 'must be a URL');

/** Whether what is no URL, or is one like this: what is none has another fault already. */
export const isUrl =
  (holds: (url: URL) => boolean) =>
  (value: string): boolean =>
    !URL.canParse(value) || holds(new URL(value));

/** A URL that may be trusted with keys. It is shown to operators, so there is no password in it. */
export const secureUrl = url
  .refine(isUrl(isSecureUrl), 'must begin with https:// (plain http:// is for this machine only)')
  .refine(
    isUrl(({ username, password }) => username + password === ''),
    'must hold no user name and no password',
  );

/** Names in a list, or one text with commas between them. */
export const names = z.union(
  [
    z.string().transform(split),
    z.array(z.string()).transform((list) => list.filter((name) => name.trim() !== '')),
  ],
  'must be a text or a list of texts',
);

/**
 * A text in JSON.
 * @param wanted what it must be, where it is none
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

/** The path of a file, of which the text is taken. */
export const textOfFile = z.string().transform((path, context) => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    context.addIssue(`names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`);
    return z.NEVER;
  }
});
