import { isIP } from 'node:net';
import { z } from 'zod';
import { withDefaults } from '../automation-settings/update-automation-settings.ts';
import type { AccountId, AutomationSettings } from '../database/tables.ts';
import type { OperationContext, QuotaLeft } from '../operations/context.ts';
import { atMostLong, parseInput } from '../operations/input.ts';
import { permissionList, readList } from './grants.ts';
import type { KeyLimits } from './key-limits.ts';
import { type FoundKey, type VerificationFailure, verifySecret } from './verify-secret.ts';

const mostUnits = 1_000_000;

// A zone would name a network interface of another machine.
const isAddress = (text: string) => isIP(text) !== 0 && !text.includes('%');

/** The input of {@link verifyApiKey}. The key is any text that a client sent. */
export const VerifyApiKeyInput = z.object({
  key: atMostLong(z.string(), 1000),
  permissions: permissionList.nullish(),
  cost: z.int().min(0, 'Must be at least 0.').max(mostUnits, `Must be at most ${mostUnits}.`).nullish(),
  address: z
    .string()
    .refine(isAddress, 'Must be an IP address, without a zone.')
    .meta({ pattern: '^[0-9A-Fa-f:.]{2,45}$' })
    .nullish(),
});

/** The rest of a key's own rate limit. */
export interface RateLimitState {
  /** The number of verifications in a window. */
  readonly limit: number;
  readonly remaining: number;
  /** The end of the window. */
  readonly resetsAt: Date;
}

/** The result of a verification for the provider; an unknown secret has no details. */
export interface ApiKeyVerification {
  readonly valid: boolean;
  readonly reason: VerificationFailure | null;
  readonly keyId: number | null;
  readonly userId: AccountId | null;
  readonly expiresAt: Date | null;
  readonly name: string | null;
  readonly permissions: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly rateLimit: RateLimitState | null;
  readonly quota: QuotaLeft | null;
  readonly automation: Pick<AutomationSettings, 'isEnabled' | 'sessionDuration'> | null;
}

const nothing = {
  keyId: null,
  userId: null,
  expiresAt: null,
  name: null,
  permissions: [],
  metadata: null,
  rateLimit: null,
  quota: null,
  automation: null,
};

/**
 * Tells a provider's backend whether an API key is good, who owns it, and what it may do.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export async function verifyApiKey(
  context: OperationContext,
  input: z.input<typeof VerifyApiKeyInput>,
): Promise<ApiKeyVerification> {
  const { key, permissions, cost, address } = parseInput(VerifyApiKeyInput, input);
  const { reason, found, limits } = await verifySecret(context, {
    secret: key,
    permissions: permissions ?? [],
    cost: cost ?? 1,
    address: address ?? null,
  });
  return { valid: reason === null, reason, ...(found ? describeKey(found, limits, context) : nothing) };
}

const describeKey = (found: FoundKey, { rate, quota }: KeyLimits, { limits }: OperationContext) => ({
  keyId: found.id,
  userId: found.account,
  expiresAt: found.expiresAt,
  name: found.name,
  permissions: readList(found.permissions),
  metadata: found.metadata === null ? null : JSON.parse(found.metadata),
  rateLimit: rate && { limit: rate.rate.requests, remaining: rate.remaining, resetsAt: rate.resetsAt },
  quota,
  automation: withDefaults(readSettings(found), limits),
});

/** Converts the owner's settings; SQLite returns numbers for booleans. */
const readSettings = (found: FoundKey) => ({
  isEnabled: found.automationEnabled === null ? null : Boolean(found.automationEnabled),
  isEnabledCleared: Boolean(found.automationEnabledCleared),
  sessionDuration: found.sessionDuration,
  sessionDurationCleared: Boolean(found.sessionDurationCleared),
});
