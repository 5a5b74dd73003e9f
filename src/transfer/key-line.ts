import { z } from 'zod';
import { holderOf, named, namesOne } from '../accounts/named-account.ts';
import type { KeyLine } from '../api-keys/import/import-keys.ts';
import { hidesEnough, leastHidden, past, visible } from '../api-keys/import/key-text.ts';
import { excessOf, fromRest, inRest, keyParts, noParts, storedParts } from '../api-keys/key-parts.ts';
import { longestPauseReason } from '../api-keys/pause-api-key.ts';
import {
  type Form,
  formOf,
  hashAlgorithms,
  hashWhole,
  type ImportedHash,
  isSameWay,
  longestPrefix,
  longestSecret,
  mostWays,
  waysIn,
  wholeKey,
} from '../api-keys/verify/imported-keys.ts';
import { GatewayError } from '../errors.ts';
import type { Hashing, OperationSettings } from '../operations/context.ts';
import { isInBounds, longestReason, outOfBounds, trimmed } from '../operations/input.ts';
import { parseInput } from '../operations/operation.ts';
import { LineError } from './read-lines.ts';

/** The number of faults that a refusal names. */
const mostTold = 5;

const moment = z.iso
  .datetime({ offset: true, error: 'Must be a date-time with an offset, such as 2026-01-31T12:00:00Z.' })
  .transform((text) => new Date(text))
  .refine(isInBounds, { message: outOfBounds });

/** The schema of a hash of `size` bytes, in hexadecimal digits or base64. */
const hashOf = (size: number, base64: RegExp) => {
  const hexadecimal = new RegExp(`^[0-9a-f]{${2 * size}}$`, 'i');
  return z
    .string()
    .refine((text) => hexadecimal.test(text) || base64.test(text), {
      message: `Must be ${size} bytes in hexadecimal digits or base64.`,
    })
    .transform((text) =>
      hexadecimal.test(text) ? text.toLowerCase() : Buffer.from(text, 'base64').toString('hex'),
    );
};

const sha256 = hashOf(32, /^[\w+/-]{43}=?$/);
const sha512 = hashOf(64, /^[\w+/-]{86}(?:==)?$/);

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
    subject: z.string().min(1, 'Must not be empty.').max(255, 'Must have at most 255 characters.').nullish(),
    organization: named.organization,
    key_prefix: visible(longestPrefix),
    created_at: past(moment).nullish(),
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
    paused_at: past(moment).nullish(),
    paused_by: z.enum(['owner', 'operator', 'scanner'], 'Must be owner, operator or scanner.').nullish(),
    pause_reason: trimmed(z.string(), longestReason).nullish(),
    plan: z
      .string()
      .refine((plan) => settings.plans?.grants.has(plan), { message: 'Must be a plan in PLANS_FILE.' })
      .nullish(),
    sha256: sha256.nullish(),
    sha512: sha512.nullish(),
    hashed_part: z.strictObject({ after: visible(longestPrefix) }).nullish(),
    key: visible(longestSecret).nullish(),
  };
}

/**
 * Makes the schema of a line, and the names of all members in it.
 * @param settings the operator's settings
 * @param issuers the issuers that a line may name; an empty list allows any issuer
 */
function createLineSchema(settings: OperationSettings, issuers: readonly string[]) {
  const members = membersOf(settings, issuers);
  const places = new Set([...Object.keys(members), ...inner]);
  // The message does not repeat the unknown name, because the name may be a misplaced secret.
  const known = `May only have the members ${Object.keys(members).join(', ')}.`;
  const schema = z
    .strictObject(members, {
      error: ({ code }) => (code === 'unrecognized_keys' ? known : 'Must be an object.'),
    })
    .refine(...namesOne)
    .refine(({ sha256, sha512, key }) => [sha256, sha512, key].filter((each) => each != null).length === 1, {
      message: 'Must have exactly one of sha256, sha512 and key.',
    })
    .refine(({ paused_at: at, paused_by: by }) => (at == null) === (by == null), {
      path: ['paused_by'],
      message: 'Must be given with paused_at, and only with it.',
    })
    .refine(({ paused_at: at, pause_reason: why }) => why == null || at != null, {
      path: ['pause_reason'],
      message: 'Must be given only with paused_at.',
    })
    .refine(({ paused_by: by, pause_reason: why }) => by !== 'owner' || isOwnersReason(why), {
      path: ['pause_reason'],
      message: `Must have at most ${longestPauseReason} characters if the owner paused the key.`,
    })
    .refine(({ paused_at: at, is_active: isActive }) => at == null || isActive !== false, {
      path: ['paused_at'],
      message: 'Must be given only for an active key.',
    })
    .refine(({ hashed_part: part, key }) => part == null || key == null, {
      path: ['hashed_part'],
      message: 'Must not be given with key.',
    })
    .refine(({ hashed_part: part, key_prefix: prefix }) => part == null || prefix.endsWith(part.after), {
      path: ['key_prefix'],
      message: 'Must be all that precedes the hashed part, and so end with hashed_part.after.',
    })
    .refine(({ key, key_prefix: prefix }) => key == null || key.startsWith(prefix), {
      path: ['key_prefix'],
      message: 'Must be the beginning of the key.',
    })
    .refine(({ key, key_prefix: prefix }) => key == null || hidesEnough(key, prefix), {
      path: ['key'],
      message: `Must have at least ${leastHidden} characters more than key_prefix.`,
    });
  return { schema, places };
}

/** Whether an owner can give this reason: they may resume the key, and undo that. */
const isOwnersReason = (why: string | null | undefined): boolean =>
  why == null || [...why].length <= longestPauseReason;

/** Makes a check that refuses a line with yet another way of hashing when there are {@link mostWays}. */
function createWayCheck(forms: readonly Form[]) {
  const ways: Hashing[] = [wholeKey, ...waysIn(forms).filter((way) => !isSameWay(way, wholeKey))];
  return (way: Hashing) => {
    if (ways.some((each) => isSameWay(each, way))) return;
    if (ways.length >= mostWays)
      throw new LineError(
        `Keys may be hashed in at most ${mostWays} ways: by SHA-256 or SHA-512, whole or after a text.`,
      );
    ways.push(way);
  };
}

/** What the reader of lines depends on. */
export interface ReaderOptions {
  readonly settings: OperationSettings;
  /** The issuers that a line may name; an empty list allows any issuer. */
  readonly issuers: readonly string[];
  /** The forms of the keys that were imported before. */
  readonly forms: readonly Form[];
}

/** Makes a reader of JSON lines. */
export function createLineReader({ settings, issuers, forms }: ReaderOptions) {
  const { schema, places } = createLineSchema(settings, issuers);
  const checkWay = createWayCheck(forms);

  /** @throws {LineError} if the line is refused */
  return (number: number, text: string): KeyLine => {
    const given = parse(schema, text, places);
    const { key_prefix: keyPrefix, key: secret = null, quota } = given;
    const parts = { ...fromRest(given), quota };
    const excess = excessOf(storedParts(parts, noParts));
    if (excess !== undefined) throw new LineError(excess);
    const { way, imported } = importedFrom(given);
    checkWay(way);
    return {
      ...{ number, ...holderOf(given), keyPrefix, secret, parts, imported },
      createdAt: given.created_at ?? new Date(),
      isActive: given.is_active ?? true,
      pausedAt: given.paused_at ?? null,
      pausedBy: given.paused_by ?? null,
      pauseReason: given.pause_reason ?? null,
      plan: given.plan ?? null,
      form: formOf(keyPrefix, way),
    };
  };
}

/** What a line says of the key's secret. */
type SecretMembers = Pick<
  z.output<ReturnType<typeof createLineSchema>['schema']>,
  'sha256' | 'sha512' | 'hashed_part' | 'key' | 'key_prefix'
>;

/** How the key of a line is hashed, and its hash. */
function importedFrom(given: SecretMembers): { way: Hashing; imported: ImportedHash } {
  const algorithm = hashAlgorithms.find((each) => given[each] != null);
  const hash = algorithm && given[algorithm];
  if (!hash) return { way: wholeKey, imported: hashWhole(given.key ?? '') };
  const after = given.hashed_part?.after ?? '';
  const head = after === '' ? '' : given.key_prefix;
  return { way: { algorithm, after }, imported: { algorithm, hash, head } };
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
const inner = ['limit', 'window_seconds', 'refill', 'after'];

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
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
