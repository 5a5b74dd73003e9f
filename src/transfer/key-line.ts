import { z } from 'zod';
import {
  excessOf,
  fromRest,
  inRest,
  type KeyParts,
  keyParts,
  noParts,
  storedParts,
} from '../api-keys/key-parts.ts';
import { longestSecret, sha256Of } from '../api-keys/verify/imported-keys.ts';
import { GatewayError } from '../errors.ts';
import type { OperationSettings } from '../operations/context.ts';
import { isInBounds, outOfBounds } from '../operations/input.ts';
import { parseInput } from '../operations/operation.ts';
import { LineError } from './read-lines.ts';

/** An API key from a line, after its check. */
export interface KeyLine {
  /** The number of its line. */
  readonly number: number;
  readonly issuer: string;
  readonly subject: string;
  readonly keyPrefix: string;
  readonly createdAt: Date;
  readonly isActive: boolean;
  readonly parts: KeyParts;
  /** The plan of the key's account; null if the line names none. */
  readonly plan: string | null;
  /** SHA-256 of the key's secret, in lower-case hexadecimal digits. */
  readonly sha256: string;
  /** The secret itself; null if the line has only its SHA-256. */
  readonly secret: string | null;
}

/** The number of faults that a refusal names. */
const mostTold = 5;

/** The least number of a secret's characters that its prefix does not reveal. */
const leastHidden = 16;

const moment = z.iso
  .datetime({ offset: true, error: 'Must be a date-time with an offset, such as 2026-01-31T12:00:00Z.' })
  .transform((text) => new Date(text))
  .refine(isInBounds, { message: outOfBounds });

const createdAt = moment.refine((date) => date.getTime() <= Date.now(), {
  message: 'Must not be in the future.',
});

const hexadecimal = /^[0-9a-f]{64}$/i;
const base64 = /^[\w+/-]{43}=?$/;

const sha256 = z
  .string()
  .refine((text) => hexadecimal.test(text) || base64.test(text), {
    message: 'Must be 32 bytes in hexadecimal digits or base64.',
  })
  .transform((text) =>
    hexadecimal.test(text) ? text.toLowerCase() : Buffer.from(text, 'base64').toString('hex'),
  );

const key = z.string().regex(new RegExp(String.raw`^[\x21-\x7e]{1,${longestSecret}}$`), {
  error: `Must be at most ${longestSecret} visible ASCII characters.`,
});

const keyPrefix = z
  .string()
  .regex(/^[\x21-\x7e]{1,32}$/, { error: 'Must be 1 to 32 visible ASCII characters.' });

const count = z.int();

/** The schemas of a line's members, by REST name: the owner and the parts of a key. */
function membersOf(settings: OperationSettings, issuers: readonly string[]) {
  const { quota, ...parts } = keyParts(settings);
  const isKnown = (issuer: string) => issuers.length === 0 || issuers.includes(issuer);
  return {
    issuer: z
      .string()
      .min(1)
      .max(255)
      .refine(isKnown, { message: 'Must be an issuer in AUTH_ISSUER or AUTH_ISSUERS.' }),
    subject: z.string().min(1, 'Must not be empty.').max(255, 'Must have at most 255 characters.'),
    key_prefix: keyPrefix,
    created_at: createdAt.nullish(),
    ...inRest(parts),
    // A key that has expired can be imported.
    expires_at: moment.nullish(),
    metadata: z.record(z.string(), z.unknown()).pipe(parts.metadata.unwrap().unwrap()).nullish(),
    rate_limit: z
      .object({ limit: count, window_seconds: count })
      .transform(({ limit, window_seconds: windowSeconds }) => ({ limit, windowSeconds }))
      .pipe(parts.rateLimit.unwrap().unwrap())
      .nullish(),
    quota,
    is_active: z.boolean().nullish(),
    plan: z
      .string()
      .refine((plan) => settings.plans?.grants.has(plan), { message: 'Must be a plan in PLANS_FILE.' })
      .nullish(),
    sha256: sha256.nullish(),
    key: key.nullish(),
  };
}

/**
 * Makes a reader of JSON lines.
 * @param issuers the issuers that a line may name; an empty list allows any issuer
 */
export function createLineReader(settings: OperationSettings, issuers: readonly string[]) {
  const members = membersOf(settings, issuers);
  // The message does not repeat the unknown name, because the name may be a misplaced secret.
  const places = new Set([...Object.keys(members), ...inner]);
  const known = `May only have the members ${Object.keys(members).join(', ')}.`;
  const schema = z
    .strictObject(members, {
      error: ({ code }) => (code === 'unrecognized_keys' ? known : 'Must be an object.'),
    })
    .refine(({ sha256, key }) => (sha256 == null) !== (key == null), {
      message: 'Must have either sha256 or key.',
    })
    .refine(({ key, key_prefix: prefix }) => key == null || key.startsWith(prefix), {
      path: ['key_prefix'],
      message: 'Must be the beginning of the key.',
    })
    .refine(({ key, key_prefix: prefix }) => key == null || key.length >= prefix.length + leastHidden, {
      path: ['key'],
      message: `Must have at least ${leastHidden} characters more than key_prefix.`,
    });

  /** @throws {LineError} if the line is refused */
  return (number: number, text: string): KeyLine => {
    const given = parse(schema, text, places);
    const { issuer, subject, key_prefix: keyPrefix, key: secret = null, quota } = given;
    const parts = { ...fromRest(given), quota };
    const excess = excessOf(storedParts(parts, noParts));
    if (excess !== undefined) throw new LineError(excess);
    return {
      ...{ number, issuer, subject, keyPrefix, secret },
      createdAt: given.created_at ?? new Date(),
      isActive: given.is_active ?? true,
      plan: given.plan ?? null,
      parts,
      sha256: given.sha256 ?? sha256Of(secret ?? ''),
    };
  };
}

function parse<Output>(schema: z.ZodType<Output>, text: string, places: ReadonlySet<string>): Output {
  const given = readJson(text);
  if (given === undefined) throw new LineError('Is no JSON.');
  try {
    return parseInput(schema, given);
  } catch (error) {
    if (error instanceof GatewayError) throw new LineError(told(error, places), { cause: error });
    if (error instanceof RangeError) throw new LineError('Is nested too deeply.', { cause: error });
    throw error;
  }
}

/** The members of a line's objects. */
const inner = ['limit', 'window_seconds', 'refill'];

/**
 * Describes the faults of a line, and quotes nothing from the line.
 * @param places the names that a fault's place may show: any other name in a line may be a misplaced secret
 */
const told = ({ issues }: GatewayError, places: ReadonlySet<string>): string =>
  issues
    .slice(0, mostTold)
    .map(({ path, message }) =>
      [path.filter((name) => places.has(name) || /^\d+$/.test(name)).join('.'), message]
        .filter(Boolean)
        .join(': '),
    )
    .join(' ');

/** Parses JSON; undefined if the text is no JSON. The engine's own message quotes the text, so it is dropped. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
