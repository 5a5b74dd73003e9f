/** The answers of the three operations, as REST spells them. */
export interface PrivateKeyStatus {
  readonly has_key: boolean;
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

export interface ApiKey {
  readonly id: number;
  readonly key_prefix: string;
  readonly name: string | null;
  readonly created_at: string;
  readonly is_active: boolean;
  readonly is_default: boolean;
  readonly encrypted_key: string | null;
  readonly encryption_version: number;
  readonly expires_at: string | null;
  readonly deactivated_at: string | null;
  readonly previous_works_until: string | null;
  readonly last_used_at: string | null;
  readonly description: string | null;
  readonly permissions: readonly string[];
  readonly metadata: object | null;
  readonly allowed_addresses: readonly string[];
  readonly rate_limit: object | null;
  readonly quota: object | null;
}

export interface AutomationSettings {
  readonly is_enabled: boolean | null;
  readonly session_duration: number | null;
  readonly user_id: number;
  readonly created_at: string;
  readonly updated_at: string;
}
