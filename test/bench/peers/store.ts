import Sqlite from 'better-sqlite3';
import type { Caller } from './caller.ts';
import type { ApiKey, AutomationSettings, PrivateKeyStatus } from './records.ts';
import { keyNotFound } from './refusal.ts';
import type { RequestSource } from './request-source.ts';
import type { SettingsInput } from './settings-input.ts';

const apiKeyColumns = `id, key_prefix, name, is_active, is_default, encrypted_key, encryption_version, created_at,
  expires_at, deactivated_at, previous_works_until, last_used_at, description, permissions, metadata,
  allowed_addresses, rate_limit, rate_limit_window`;

const quotaColumns = ['units', 'refill', 'taken', 'refills_at'];

const sql = {
  account: 'select id from account where issuer = ? and subject = ?',
  newAccount: 'insert into account (issuer, subject, created_at) values (?, ?, ?)',
  privateKey: `select created_at, updated_at from private_key
    where account_id = (select id from account where issuer = ? and subject = ?)`,
  apiKey: `select ${apiKeyColumns}, account_id, ${quotaColumns.join(', ')} from api_key
    left join api_key_quota on api_key_id = id where id = ? and account_id = (select id from account where issuer = ? and subject = ?)`,
  deactivate: `update api_key set is_active = false, deactivated_at = :now where id = :id and is_active
    returning ${apiKeyColumns},
      ${quotaColumns.map((name) => `(select ${name} from api_key_quota where api_key_id = id) as ${name}`).join(', ')}`,
  event: `insert into audit_event (account_id, action, target, request, address, created_at)
    values (:account, :action, :target, :id, :address, :now)`,
  settings: `insert into automation_settings (account_id, is_enabled, session_duration, created_at, updated_at)
    values (:account, :isEnabled, :sessionDuration, :now, :now)
    on conflict (account_id) do update set
      is_enabled = iif(:hasEnabled, excluded.is_enabled, is_enabled),
      session_duration = iif(:hasDuration, excluded.session_duration, session_duration),
      updated_at = excluded.updated_at
    where (:hasEnabled and is_enabled is not excluded.is_enabled)
      or (:hasDuration and session_duration is not excluded.session_duration)
    returning account_id, is_enabled, session_duration, created_at, updated_at`,
  readSettings: `select account_id, is_enabled, session_duration, created_at, updated_at
    from automation_settings where account_id = ?`,
};

type Time = 'created_at' | 'expires_at' | 'deactivated_at' | 'previous_works_until' | 'last_used_at';
type Part = 'permissions' | 'metadata' | 'allowed_addresses' | 'rate_limit' | 'quota';

interface ApiKeyRow extends Omit<ApiKey, Time | Part | 'is_active' | 'is_default'> {
  /** JSON, as Keyward stores it. */
  readonly permissions: string | null;
  readonly metadata: string | null;
  readonly allowed_addresses: string | null;
  readonly rate_limit: number | null;
  readonly rate_limit_window: number | null;
  readonly units: number | null;
  readonly refill: string | null;
  readonly taken: number | null;
  readonly refills_at: number | null;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly deactivated_at: number | null;
  readonly previous_works_until: number | null;
  readonly last_used_at: number | null;
  readonly is_active: number;
  readonly is_default: number;
}

interface SettingsRow {
  readonly account_id: number;
  readonly is_enabled: number | null;
  readonly session_duration: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

const iso = (milliseconds: number) => new Date(milliseconds).toISOString();
const isoOrNull = (milliseconds: number | null) => (milliseconds === null ? null : iso(milliseconds));
const json = (text: string | null) => (text === null ? null : JSON.parse(text));
const bool = (value: boolean | null | undefined) => (typeof value === 'boolean' ? Number(value) : null);

const toApiKey = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  key_prefix: row.key_prefix,
  name: row.name,
  created_at: iso(row.created_at),
  is_active: row.is_active === 1,
  is_default: row.is_default === 1,
  encrypted_key: row.encrypted_key,
  encryption_version: row.encryption_version,
  expires_at: isoOrNull(row.expires_at),
  deactivated_at: isoOrNull(row.deactivated_at),
  previous_works_until: isoOrNull(row.previous_works_until),
  last_used_at: isoOrNull(row.last_used_at),
  description: row.description,
  permissions: json(row.permissions) ?? [],
  metadata: json(row.metadata),
  allowed_addresses: json(row.allowed_addresses) ?? [],
  rate_limit:
    row.rate_limit === null ? null : { limit: row.rate_limit, window_seconds: row.rate_limit_window },
  quota:
    row.units === null || row.taken === null
      ? null
      : {
          limit: row.units,
          refill: row.refill,
          remaining: row.units - row.taken,
          refills_at: isoOrNull(row.refills_at),
        },
});

const toSettings = (row: SettingsRow): AutomationSettings => ({
  is_enabled: row.is_enabled === null ? null : row.is_enabled === 1,
  session_duration: row.session_duration,
  user_id: row.account_id,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

/** Opens a database in Keyward's mode. */
export function openSqlite(file: string): Sqlite.Database {
  const database = new Sqlite(file, { fileMustExist: true });
  for (const pragma of ['journal_mode = wal', 'synchronous = full', 'foreign_keys = on'])
    database.pragma(pragma);
  return database;
}

/** The three operations by hand: better-sqlite3, each statement prepared once. */
export function openStore(file: string) {
  const database = openSqlite(file);
  const findAccount = database.prepare<[string, string], number>(sql.account).pluck();
  const newAccount = database.prepare(sql.newAccount);
  const privateKey = database.prepare<[string, string], { created_at: number; updated_at: number }>(
    sql.privateKey,
  );
  const apiKey = database.prepare<[number, string, string], ApiKeyRow & { account_id: number }>(sql.apiKey);
  const deactivate = database.prepare<{ id: number; now: number }, ApiKeyRow>(sql.deactivate);
  const event = database.prepare(sql.event);
  const settings = database.prepare<Record<string, unknown>, SettingsRow>(sql.settings);
  const readSettings = database.prepare<[number], SettingsRow>(sql.readSettings);

  const createAccount = ({ issuer, subject }: Caller, source: RequestSource) => {
    const now = Date.now();
    const account = Number(newAccount.run(issuer, subject, now).lastInsertRowid);
    event.run({ account, action: 'account-created', target: null, ...source, now });
    return account;
  };

  const deactivateOnce = database.transaction(
    (row: ApiKeyRow & { account_id: number }, source: RequestSource): ApiKeyRow => {
      const now = Date.now();
      const changed = deactivate.get({ id: row.id, now });
      if (!changed) throw new Error('The key was not deactivated.');
      const action = 'api-key-deactivated';
      event.run({ account: row.account_id, action, target: row.id, ...source, now });
      return changed;
    },
  );

  return {
    privateKeyStatus({ issuer, subject }: Caller): PrivateKeyStatus {
      const row = privateKey.get(issuer, subject);
      if (!row) return { has_key: false, created_at: null, updated_at: null };
      return { has_key: true, created_at: iso(row.created_at), updated_at: iso(row.updated_at) };
    },

    /** @throws {Refusal} 404 */
    deactivateApiKey({ issuer, subject }: Caller, id: number, source: RequestSource): ApiKey {
      const row = apiKey.get(id, issuer, subject);
      if (!row) throw keyNotFound();
      return toApiKey(row.is_active ? deactivateOnce(row, source) : row);
    },

    updateAutomationSettings: database.transaction(
      (caller: Caller, input: SettingsInput, source: RequestSource): AutomationSettings => {
        const now = Date.now();
        const hasEnabled = Number(input.isEnabled !== undefined);
        const hasDuration = Number(input.sessionDuration !== undefined);
        const account = findAccount.get(caller.issuer, caller.subject) ?? createAccount(caller, source);
        const changed = settings.get({
          account,
          isEnabled: bool(input.isEnabled),
          sessionDuration: input.sessionDuration ?? null,
          hasEnabled,
          hasDuration,
          now,
        });
        const row = changed ?? readSettings.get(account);
        if (!row) throw new Error('The settings were not stored.');
        const action = 'automation-settings-updated';
        if (changed && (hasEnabled || hasDuration))
          event.run({ account: row.account_id, action, target: null, ...source, now });
        return toSettings(row);
      },
    ),
  };
}

/** An open database with the three operations. */
export type Store = ReturnType<typeof openStore>;
