import type { z } from 'zod';
import type { AccountId } from './accounts/account.entity.ts';
import type { Db } from './database/db.ts';
import { badUserInput } from './errors.ts';
import type { EventLog } from './observability/events.ts';
import type { Secrets } from './secrets/secrets.ts';

/** The signed-in person on whose behalf an operation runs. */
export interface Caller {
  /** `iss` of the access token. */
  readonly issuer: string;
  /** `sub` of the access token: unique within the issuer. */
  readonly subject: string;
  /** Their account, once it was looked up. */
  accountId?: AccountId | undefined;
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

/** pydantic 2's name for what zod found, where the two have the same thing. */
const issueTypes: Partial<Record<z.core.$ZodIssue['code'], string>> = {
  too_small: 'greater_than_equal',
  too_big: 'less_than_equal',
};

/**
 * An operation's input, checked by its schema.
 * @throws {GatewayError} `BAD_USER_INPUT` with every issue
 */
export function parseInput<Output>(schema: z.ZodType<Output>, input: unknown): Output {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw badUserInput(
    parsed.error.issues.map(({ code, message, path }) => ({
      path: path.map(String),
      message,
      type: issueTypes[code] ?? 'value_error',
    })),
  );
}
