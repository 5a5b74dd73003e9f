import { isIP } from 'node:net';
import { z } from 'zod';
import { kindOf, organizationOf } from '../../accounts/account-record.ts';
import { withDefaults } from '../../automation-settings/update-automation-settings.ts';
import type { AccountId, AccountKind, AutomationSettings } from '../../database/tables.ts';
import { badUserInput } from '../../errors.ts';
import type { Assertions, LimitsLeft, OperationContext } from '../../operations/context.ts';
import { atMostLong, within } from '../../operations/input.ts';
import { operation } from '../../operations/operation.ts';
import { type Entitlement, noEntitlement } from '../../plans/entitlement-of.ts';
import { permissionList } from '../../plans/permissions.ts';
import { assertedKeyOf } from './asserted-key.ts';
import { permissionsWithin, readMetadata } from './grants.ts';
import type { KeyLimits } from './key-limits.ts';
import { type FoundKey, type Verification, type VerificationFailure, verifySecret } from './verify-secret.ts';

/** The most units of a quota that one use may cost. */
export const mostUnits = 1_000_000;

/** The most characters of a text that may be an API key. */
export const longestKey = 1000;

/** Whether a text is the IP address of a client. */
export const isClientAddress = (text: string): boolean =>
  // A zone would name a network interface of another machine.
  isIP(text) !== 0 && !text.includes('%');

/** The input of {@link verifyApiKey}. The key is any text that a client sent. */
const VerifyApiKeyInput = z.object({
  key: atMostLong(z.string(), longestKey),
  permissions: permissionList.nullish(),
  cost: within(z.int(), 0, mostUnits).nullish(),
  address: z
    .string()
    .refine(isClientAddress, 'Must be an IP address, without a zone.')
    .meta({ pattern: '^[0-9A-Fa-f:.]{2,45}$' })
    .nullish(),
  assertion: z.boolean().nullish(),
});

/** What the provider grants the key's account, beside permissions, and what is left of it. */
export interface GrantedState extends LimitsLeft {
  /** The provider's own words. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

/** The result of a verification for the provider; an unknown secret has no details. */
export interface ApiKeyVerification extends LimitsLeft {
  readonly valid: boolean;
  readonly reason: VerificationFailure | null;
  readonly keyId: number | null;
  readonly userId: AccountId | null;
  readonly ownerKind: AccountKind | null;
  /** The organisation that owns the key, as its issuer names it; null: a person owns it. */
  readonly organizationId: string | null;
  readonly expiresAt: Date | null;
  readonly name: string | null;
  /** What the key may do: its permissions within what its account may have. */
  readonly permissions: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** The name of the account's plan; null: there are no plans. */
  readonly plan: string | null;
  readonly entitlement: GrantedState | null;
  readonly automation: Pick<AutomationSettings, 'isEnabled' | 'sessionDuration'> | null;
  /** Whether the database is away, and this is what it last said. */
  readonly stale: boolean;
  /** A signed token that says the same (RFC 9068); null: the key is not valid, or nobody asked for one. */
  readonly assertion: string | null;
}

const nothing = {
  keyId: null,
  userId: null,
  ownerKind: null,
  organizationId: null,
  expiresAt: null,
  name: null,
  permissions: [],
  metadata: null,
  rate: null,
  quota: null,
  plan: null,
  entitlement: null,
  automation: null,
};

/**
 * Tells a provider's backend whether an API key is good, who owns it, and what it may do.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export const verifyApiKey = operation(
  VerifyApiKeyInput,
  async (context, { key, permissions, cost, address, assertion }): Promise<ApiKeyVerification> => {
    const assertions = assertion ? assertionsOf(context) : undefined;
    const { found, ...verified } = await verifySecret(context, {
      secret: key,
      permissions: permissions ?? [],
      cost: cost ?? 1,
      address: address ?? null,
    });
    const { reason } = verified;
    const { entitlement } = verified;
    const isValid = reason === null && found !== undefined && entitlement !== undefined;
    return {
      valid: reason === null,
      reason,
      stale: found?.staleSince !== undefined,
      assertion:
        isValid && assertions
          ? await assertions.about(assertedKeyOf(found, entitlement, context.services))
          : null,
      ...(found ? describeKey(found, verified, context) : nothing),
    };
  },
);

/**
 * Returns what signs assertions.
 * @throws {GatewayError} `BAD_USER_INPUT` if nothing does
 */
function assertionsOf({ services }: OperationContext): Assertions {
  if (services.assertions) return services.assertions;
  throw badUserInput([
    {
      path: ['assertion'],
      message: 'This service signs no assertions: ASSERTION_KEYS is not set.',
      type: 'value_error',
    },
  ]);
}

/** What a key may do and has, within what its account may have. */
export const describeGrant = (
  { permissions }: Pick<FoundKey, 'permissions'>,
  { plan, ceiling, metadata }: Entitlement,
  { shared }: KeyLimits,
): Pick<ApiKeyVerification, 'permissions' | 'plan' | 'entitlement'> => ({
  permissions: permissionsWithin(permissions, ceiling),
  plan,
  entitlement: { metadata, ...shared },
});

/** The organisation that owns a key; null: a person owns it. */
export const organizationOfKey = ({ ownerKind: kind, subject }: Pick<FoundKey, 'ownerKind' | 'subject'>) =>
  organizationOf({ kind, subject });

const describeKey = (
  found: FoundKey,
  { entitlement = noEntitlement, limits: left }: Omit<Verification, 'found'>,
  { services }: OperationContext,
) => ({
  keyId: found.id,
  userId: found.account,
  ownerKind: kindOf(found.ownerKind),
  organizationId: organizationOfKey(found),
  expiresAt: found.expiresAt,
  name: found.name,
  ...describeGrant(found, entitlement, left),
  metadata: readMetadata(found.metadata),
  ...left.own,
  automation: withDefaults(readSettings(found), services.settings),
});

/** The owner's settings; all null if the owner never set any. */
const readSettings = (found: FoundKey) => ({
  isEnabled: found.automationEnabled,
  isEnabledCleared: found.automationEnabledCleared,
  sessionDuration: found.sessionDuration,
  sessionDurationCleared: found.sessionDurationCleared,
});
