// Generated from schema/openapi.json by generate-types.mjs.

/** @internal */
export interface VerifyApiKeyRequest {
  /** The API key as the client sent it, at most 1000 characters. */
  key: string;
  /** Permissions that the request needs, at most 50. */
  permissions?: string[] | null;
  /** Units to use of the key's quota and of its account's quota. */
  cost?: number | null;
  /** The client's IP address. */
  address?: string | null;
  /** Whether to answer with an assertion. */
  assertion?: boolean | null;
}

/** The result of a verification. */
export interface ApiKeyVerification {
  /** Whether the request may pass. */
  valid: boolean;
  /** Why the request may not pass: `not_found`, `inactive`, `expired`, `rotated`, `paused`, `account_blocked`, `address_not_allowed`, `insufficient_permissions`, `rate_limited`, `account_rate_limited`, `quota_exceeded` or `account_quota_exceeded`. */
  reason: string | null;
  /** Id of the key. */
  key_id: number | null;
  /** Id of the account that owns the key. */
  user_id: number | null;
  /** Who owns the key: `person` or `organization`. */
  owner_kind: string | null;
  /** The organization that owns the key: its id at the identity provider. */
  organization_id: string | null;
  /** When the key expires. */
  expires_at: string | null;
  /** Display name. */
  name: string | null;
  /** The key's permissions, limited to those that its account's plan allows. */
  permissions: string[];
  /** The owner's own names and values; those of the provider are in `entitlement`. */
  metadata: {
    [key: string]: unknown;
  } | null;
  automation: OwnerAutomation | null;
  /** The name of the plan of the account. */
  plan: string | null;
  entitlement: GrantedState | null;
  rate_limit: RateLimitState | null;
  quota: QuotaState | null;
  /** Whether the database is away, and the key is judged by what the database said before. */
  stale: boolean;
  /** A JWT that says the same for up to a minute, for services that check it without asking Keyward. */
  assertion: string | null;
}

/** The automation settings of a key's owner. */
export interface OwnerAutomation {
  /** Whether automation is on. */
  is_enabled: boolean | null;
  /** Length of a session, in seconds. */
  session_duration: number | null;
}

/** What the provider grants the key's account. */
export interface GrantedState {
  /** The provider's own names and values, from the plan or its overrides. */
  metadata: {
    [key: string]: unknown;
  } | null;
  rate_limit: RateLimitState | null;
  quota: QuotaState | null;
}

/** What is left of a rate limit. */
export interface RateLimitState {
  /** Verifications per window. */
  limit: number;
  /** Verifications left in this window. */
  remaining: number;
  /** When the window ends. */
  resets_at: string;
}

/** What is left of a quota. */
export interface QuotaState {
  /** Units per period. */
  limit: number;
  /** Units left in this period. */
  remaining: number;
  /** When the quota next refills. */
  refills_at: string | null;
}

/** What a webhook tells. */
export interface WebhookEvent {
  type: string;
  timestamp: string;
  data: {
    user_id: number;
    issuer: string | null;
    subject: string | null;
    owner_kind: string;
    organization_id: string | null;
    by: string;
    member_id: number | null;
    reason: string | null;
    changes: {
      field: string;
      from: unknown;
      to: unknown;
    }[];
    key_id?: number;
    key_prefix?: string | null;
    name?: string | null;
    expires_at?: string | null;
  };
}
