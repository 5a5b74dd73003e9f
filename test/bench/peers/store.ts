import Sqlite from 'better-sqlite3';
import type { Caller } from './caller.ts';
import type { ApiKey, AutomationSettings, PrivateKeyStatus } from './records.ts';
import { keyNotFound } from './refusal.ts';
import type { SettingsInput } from './settings-input.ts';

const sql = {
  account: 'select id from account where issuer = ? and subject = ?',
  newAccount: 'insert into account (issuer, subject, created_at) values (?, ?, ?)',
  privateKey: `select created_at, updated_at from private_key
    where account_id = (select id from account where issuer = ? and subject = ?)`,
  apiKey: `select id, key_prefix, name, is_active, is_default, encrypted_key, encryption_version, created_at
    from api_key where id = ? and account_id = (select id from account where issuer = ? and subject = ?)`,
  deactivate: 'update api_key set is_active = false where id = ? and is_active',
  settings: `insert into automation_settings (account_id, is_enabled, session_duration, created_at, updated_at)
    values (:account, :isEnabled, :sessionDuration, :now, :now)
    on conflict (account_id) do update set
      is_enabled = iif(:hasEnabled, excluded.is_enabled, is_enabled),
      session_duration = iif(:hasDuration, excluded.session_duration, session_duration),
      updated_at = iif(:hasEnabled or :hasDuration, excluded.updated_at, updated_at)
    returning account_id, is_enabled, session_duration, created_at, updated_at`,
};

interface ApiKeyRow extends Omit<ApiKey, 'created_at' | 'is_active' | 'is_default'> {
  readonly created_at: number;
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
const bool = (value: boolean | null | undefined) => (typeof value === 'boolean' ? Number(value) : null);

/** Opens a database in Keyward's mode. */
function open(file: string): Sqlite.Database {
  const database = new Sqlite(file, { fileMustExist: true });
  for (const pragma of ['journal_mode = wal', 'synchronous = full', 'foreign_keys = on'])
    database.pragma(pragma);
  return database;
}

/** The three operations by hand: better-sqlite3, each statement prepared once. */
export function openStore(file: string) {
  const database = open(file);
  const findAccount = database.prepare<[string, string], number>(sql.account).pluck();
  const newAccount = database.prepare(sql.newAccount);
  const privateKey = database.prepare<[string, string], { created_at: number; updated_at: number }>(
    sql.privateKey,
  );
  const apiKey = database.prepare<[number, string, string], ApiKeyRow>(sql.apiKey);
  const deactivate = database.prepare(sql.deactivate);
  const settings = database.prepare<Record<string, unknown>, SettingsRow>(sql.settings);

  const ensureAccount = ({ issuer, subject }: Caller) =>
    findAccount.get(issuer, subject) ?? newAccount.run(issuer, subject, Date.now()).lastInsertRowid;

  return {
    privateKeyStatus({ issuer, subject }: Caller): PrivateKeyStatus {
      const row = privateKey.get(issuer, subject);
      if (!row) return { has_key: false, created_at: null, updated_at: null };
      return { has_key: true, created_at: iso(row.created_at), updated_at: iso(row.updated_at) };
    },

    /** @throws {Refusal} 404 */
    deactivateApiKey({ issuer, subject }: Caller, id: number): ApiKey {
      const row = apiKey.get(id, issuer, subject);
      if (!row) throw keyNotFound();
      if (row.is_active) deactivate.run(id);
      return { ...row, created_at: iso(row.created_at), is_active: false, is_default: row.is_default === 1 };
    },

    updateAutomationSettings(caller: Caller, input: SettingsInput): AutomationSettings {
      const row = settings.get({
        account: ensureAccount(caller),
        isEnabled: bool(input.isEnabled),
        sessionDuration: input.sessionDuration ?? null,
        hasEnabled: Number(input.isEnabled !== undefined),
        hasDuration: Number(input.sessionDuration !== undefined),
        now: Date.now(),
      });
      if (!row) throw new Error('The settings were not stored.');
      return {
        is_enabled: row.is_enabled === null ? null : row.is_enabled === 1,
        session_duration: row.session_duration,
        user_id: row.account_id,
        created_at: iso(row.created_at),
        updated_at: iso(row.updated_at),
      };
    },
  };
}

/** An open database with the three operations. */
export type Store = ReturnType<typeof openStore>;
