import type { z } from 'zod';
import type { Db } from './database/db.ts';
import { badUserInput, type InputIssue } from './errors.ts';
import type { EventLog } from './observability/events.ts';
import type { Secrets } from './secrets/secrets.ts';

/** The signed-in person on whose behalf an operation runs. */
export interface Caller {
  /** `iss` of the access token. */
  readonly issuer: string;
  /** `sub` of the access token: unique within the issuer. */
  readonly subject: string;
}

/** What every operation is given beside its input. */
export interface OperationContext {
  readonly caller: Caller;
  readonly db: Db;
  readonly requestSource: RequestSource;
  readonly secrets: Secrets;
  readonly events: EventLog;
  readonly limits: OperationLimits;
  readonly keyUsage: KeyUsageNotes;
}

/** Notes that API keys were used; it is written later. */
export interface KeyUsageNotes {
  note(keyId: number, at: Date): void;
}

/** The request that an operation belongs to, for the record of changes. */
export interface RequestSource {
  readonly id: string;
  /** The IP address that it came from; null where it is not known. */
  readonly address: string | null;
}

/** What of the operations the operator may set. */
export interface OperationLimits {
  /** Bounds of a session's duration in seconds, both inclusive. */
  readonly sessionDuration: { readonly min: number; readonly max: number };
  /** The most active API keys of one account. */
  readonly apiKeysPerAccount: number;
  /** Whether of each API key a sealed copy is kept, as its `encryptedKey`. */
  readonly sealApiKeys: boolean;
}

/** A schema that depends on the limits, made once for them and not for each request. */
export function oncePerLimits<Schema>(create: (limits: OperationLimits) => Schema): typeof create {
  const schemas = new WeakMap<OperationLimits, Schema>();
  return (limits) => {
    const schema = schemas.get(limits) ?? create(limits);
    schemas.set(limits, schema);
    return schema;
  };
}

type Issue = z.core.$ZodIssue;

/** What pydantic 2 says of a bound, for text and for numbers. */
const boundTypes = {
  too_small: { string: 'string_too_short', number: 'greater_than_equal' },
  too_big: { string: 'string_too_long', number: 'less_than_equal' },
} as const;

const typeOf = (issue: Issue): string => {
  if (issue.code === 'too_small' || issue.code === 'too_big')
    return boundTypes[issue.code][issue.origin === 'string' ? 'string' : 'number'];
  const given: unknown = issue.code === 'custom' ? issue.params?.['type'] : undefined;
  return typeof given === 'string' ? given : 'value_error';
};

const toInputIssue = (issue: Issue, input: unknown): InputIssue => {
  const path = issue.path.map(String);
  const value = path.reduce<unknown>((inner, name) => Object(inner)[name], input);
  return issue.code === 'invalid_type' && value === undefined
    ? { path, message: 'Required.', type: 'missing' }
    : { path, message: issue.message, type: typeOf(issue) };
};

/** Text that no database stores and no answer repeats as it came, anywhere in an input. */
const textIssues = (value: unknown, path: readonly string[] = []): InputIssue[] => {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, inner]) => textIssues(inner, [...path, name]));
  if (typeof value !== 'string') return [];
  if (!value.isWellFormed())
    return [
      { path, message: 'Must be valid Unicode, without half of a surrogate pair.', type: 'string_unicode' },
    ];
  return value.includes('\0')
    ? [{ path, message: 'Must not contain a NUL character.', type: 'value_error' }]
    : [];
};

/**
 * An operation's input, checked by its schema. Text with a lone surrogate or a NUL is refused whatever the schema says.
 * A check of the schema's own names its type as `params: { type }`.
 * @throws {GatewayError} `BAD_USER_INPUT` with every issue
 */
export function parseInput<Output>(schema: z.ZodType<Output>, input: unknown): Output {
  const parsed = schema.safeParse(input);
  const found = parsed.error?.issues.map((issue) => toInputIssue(issue, input)) ?? [];
  const issues = [...textIssues(input), ...found];
  if (parsed.success && issues.length === 0) return parsed.data;
  throw badUserInput(issues);
}
