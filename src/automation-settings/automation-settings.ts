import { sql } from 'kysely';
import { accountBlocked, assertNeverWrote, isOwner } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { AutomationSettings } from '../database/tables.ts';
import type { OperationContext, Owner } from '../operations/context.ts';
import { neverSet, withDefaults } from './update-automation-settings.ts';

/** The current settings; account and times are null for a person who never set any. */
export type CurrentAutomationSettings = {
  readonly [Name in 'account' | 'isEnabled' | 'sessionDuration' | 'createdAt' | 'updatedAt']:
    | AutomationSettings[Name]
    | null;
};

const selectSettings = prepareQuery(AutomationSettings, (db, owner: Owner) =>
  db
    .selectFrom('account')
    .leftJoin('automation_settings', 'automation_settings.account_id', 'account.id')
    .where(isOwner(owner))
    .select([
      'account.id as account_id',
      'automation_settings.is_enabled',
      'automation_settings.is_enabled_cleared',
      'automation_settings.session_duration',
      'automation_settings.session_duration_cleared',
      'automation_settings.created_at',
      'automation_settings.updated_at',
    ])
    .select(sql<boolean>`account.blocked_at is not null`.as('blocked')),
);

/**
 * Reads the caller's automation settings.
 * @throws {GatewayError} `FORBIDDEN` if the account is blocked
 */
export async function automationSettings(context: OperationContext): Promise<CurrentAutomationSettings> {
  const { settings: usual } = context.services;
  const [settings] = await selectSettings(context.db, context.owner);
  if (!settings) {
    assertNeverWrote(context);
    return withDefaults({ ...neverSet, account: null, createdAt: null, updatedAt: null }, usual);
  }
  if (settings.blocked) throw accountBlocked(settings.account);
  return withDefaults(settings, usual);
}
