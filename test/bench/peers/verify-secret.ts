import { createHmac, type KeyObject } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** A stored secret and its key. */
export interface SecretRow {
  readonly id: number;
  readonly account_id: number;
  readonly name: string | null;
  readonly is_active: boolean;
  readonly expires_at: Date | null;
  readonly paused_at: Date | null;
  readonly works_until: Date | null;
  /** JSON, as Keyward stores it. */
  readonly permissions: string | null;
  readonly metadata: string | null;
  readonly is_enabled: boolean | null;
  readonly session_duration: number | null;
  readonly plan: string | null;
  /** `organization`, or null for a person. */
  readonly kind: string | null;
  readonly subject: string;
  readonly is_blocked: boolean;
}

/** Uses of keys: key and time. */
export type Uses = ReadonlyMap<number, Date>;

/** Where secrets are stored. */
export interface SecretStore {
  find(digest: Buffer): Promise<SecretRow | undefined> | SecretRow | undefined;
  /** Writes when keys were last used, in one transaction. */
  writeUses(uses: Uses): Promise<void> | void;
}

const notFound = {
  valid: false,
  reason: 'not_found' as string | null,
  key_id: null as number | null,
  user_id: null as number | null,
  owner_kind: null as string | null,
  organization_id: null as string | null,
  expires_at: null as string | null,
  name: null as string | null,
  permissions: [] as string[],
  metadata: null as object | null,
  automation: null as { is_enabled: boolean | null; session_duration: number | null } | null,
  plan: null as string | null,
  entitlement: null as { metadata: null; rate_limit: null; quota: null } | null,
  rate_limit: null,
  quota: null,
  stale: false,
  assertion: null,
};

/** Verifies an API key. */
export type Verify = (secret: string) => Promise<typeof notFound>;

/** Finds a secret by its digest, and what a verification tells of its key. */
export const findSecret = (digest: string): string =>
  `select k.id, k.account_id, k.name, k.is_active, k.expires_at, k.paused_at, k.permissions, k.metadata, s.works_until,
     k.allowed_addresses, k.rate_limit, q.units, q.taken, a.is_enabled, a.session_duration, c.plan, c.overrides,
     c.kind, c.subject,
     c.blocked_at is not null as is_blocked, cq.refill, cq.taken as shared_taken, cq.generation
   from api_key_secret s join api_key k on k.id = s.api_key_id
   join account c on c.id = k.account_id
   left join api_key_quota q on q.api_key_id = k.id
   left join account_quota cq on cq.account_id = k.account_id
   left join automation_settings a on a.account_id = k.account_id
   where s.digest = ${digest}`;

const isSecret = (text: string) =>
  /^sk-[a-z0-9]{6}\.[0-9a-f]{64}$/.test(text) &&
  text.slice(-8) === crc32(text.slice(0, -8)).toString(16).padStart(8, '0');

function failureOf(row: SecretRow, now: Date): string | null {
  const { is_active, expires_at, works_until, paused_at, is_blocked } = row;
  if (!is_active) return 'inactive';
  if (expires_at && expires_at <= now) return 'expired';
  if (works_until && works_until <= now) return 'rotated';
  if (paused_at) return 'paused';
  return is_blocked ? 'account_blocked' : null;
}

/** How often uses are written, in milliseconds: as often as Keyward does. */
const interval = 30_000;

/** Makes the verification, by hand. */
export function createVerify(store: SecretStore, pepper: KeyObject): Verify {
  let uses = new Map<number, Date>();
  setInterval(() => {
    void store.writeUses(uses);
    uses = new Map();
  }, interval).unref();
  return async (secret) => {
    if (!isSecret(secret)) return notFound;
    const row = await store.find(createHmac('sha256', pepper).update(secret).digest());
    if (!row) return notFound;
    const now = new Date();
    const { id, account_id, name, expires_at, permissions, metadata, is_enabled, session_duration } = row;
    const reason = failureOf(row, now);
    if (reason === null) uses.set(id, now);
    return {
      valid: reason === null,
      reason,
      key_id: id,
      user_id: account_id,
      owner_kind: row.kind ?? 'person',
      organization_id: row.kind === 'organization' ? row.subject : null,
      expires_at: expires_at?.toISOString() ?? null,
      name,
      permissions: permissions === null ? [] : JSON.parse(permissions),
      metadata: metadata === null ? null : JSON.parse(metadata),
      automation: { is_enabled, session_duration },
      plan: row.plan,
      // The load's keys and accounts have none of these.
      entitlement: { metadata: null, rate_limit: null, quota: null },
      rate_limit: null,
      quota: null,
      stale: false,
      assertion: null,
    };
  };
}
