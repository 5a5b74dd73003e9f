import { prepareQuery } from '../database/prepare-query.ts';
import { AutomationSettings } from '../database/tables.ts';
import type { Caller, OperationContext } from '../operations/context.ts';

/** The settings as they stand; all null for somebody who never set any, and their account too where there is none. */
export type CurrentAutomationSettings = {
  readonly [Name in 'account' | 'isEnabled' | 'sessionDuration' | 'createdAt' | 'updatedAt']:
    | AutomationSettings[Name]
    | null;
};

const neverSet: CurrentAutomationSettings = {
  account: null,
  isEnabled: null,
  sessionDuration: null,
  createdAt: null,
  updatedAt: null,
};

const selectSettings = prepareQuery(AutomationSettings, (db, { issuer, subject }: Caller) =>
  db
    .selectFrom('account')
    .leftJoin('automation_settings', 'automation_settings.account_id', 'account.id')
    .where('account.issuer', '=', issuer)
    .where('account.subject', '=', subject)
    .select([
      'account.id as account_id',
      'automation_settings.is_enabled',
      'automation_settings.session_duration',
      'automation_settings.created_at',
      'automation_settings.updated_at',
    ]),
);

/** The caller's automation settings. Writes nothing. */
export async function automationSettings({
  caller,
  db,
}: OperationContext): Promise<CurrentAutomationSettings> {
  const [settings] = await selectSettings(db, caller);
  return settings ?? neverSet;
}
