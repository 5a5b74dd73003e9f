import { z } from 'zod';
import { ensureAccount, ofOwner } from '../accounts/own-account.ts';
import { forKeyShare, forUpdate } from '../database/conditions.ts';
import { prepareQuery } from '../database/db.ts';
import { type AccountId, AutomationSettings } from '../database/tables.ts';
import { audited } from '../operations/audited.ts';
import { changesOf } from '../operations/changes.ts';
import type { OperationContext, OperationSettings, Owner } from '../operations/context.ts';
import { within } from '../operations/input.ts';
import { operation } from '../operations/operation.ts';

/** Makes the schema of the input: a missing field stays as it is; null clears a field. */
const inputOf = ({ sessionDuration: { min, max } }: OperationSettings) =>
  z.object({
    isEnabled: z.boolean().nullish(),
    sessionDuration: within(z.int(), min, max, 'seconds').nullish(),
  });

type Given = z.output<ReturnType<typeof inputOf>>;

/** The stored settings. */
type Stored = Pick<
  AutomationSettings,
  'isEnabled' | 'isEnabledCleared' | 'sessionDuration' | 'sessionDurationCleared'
>;

/** Replaces each setting that was never set by the operator's default. A cleared setting stays null. */
export const withDefaults = <Settings extends { readonly [Name in keyof Stored]: Stored[Name] | null }>(
  settings: Settings,
  { automationDefaults: usual }: OperationSettings,
): Settings => ({
  ...settings,
  isEnabled: settings.isEnabled ?? (settings.isEnabledCleared ? null : usual.isEnabled),
  sessionDuration:
    settings.sessionDuration ?? (settings.sessionDurationCleared ? null : usual.sessionDuration),
});

type Values = Stored & { readonly account: AccountId; readonly now: Date };

const lockSettings = prepareQuery(AutomationSettings, (db, owner: Owner) => {
  const settings = db
    .selectFrom('automation_settings')
    .innerJoin('account', 'account.id', 'automation_settings.account_id')
    .where(ofOwner(owner))
    .selectAll('automation_settings');
  return forUpdate(db, settings, 'automation_settings');
});

const columnsOf = (values: Values) => ({
  is_enabled: values.isEnabled,
  is_enabled_cleared: values.isEnabledCleared,
  session_duration: values.sessionDuration,
  session_duration_cleared: values.sessionDurationCleared,
  updated_at: values.now,
});

const updateSettings = prepareQuery(AutomationSettings, (db, values: Values) =>
  db
    .updateTable('automation_settings')
    .set(columnsOf(values))
    .where('account_id', '=', values.account)
    .returningAll(),
);

// PostgreSQL waits for a running erasure or block of the account and then finds no account, so no settings are inserted
// after it.
const insertSettings = prepareQuery(AutomationSettings, (db, values: Values) => {
  const given = Object.entries({ ...columnsOf(values), created_at: values.now });
  const account = db
    .selectFrom('account')
    .where('id', '=', values.account)
    .where('erased_at', 'is', null)
    .where('blocked_at', 'is', null)
    .select(({ val }) => ['id', ...given.map(([column, value]) => val(value).as(column))]);
  return db
    .insertInto('automation_settings')
    .columns(['account_id', ...given.map(([column]) => column as keyof ReturnType<typeof columnsOf>)])
    .expression(forKeyShare(db, account))
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .returningAll();
});

/** The settings of a person who never set any. */
export const neverSet: Stored = {
  isEnabled: null,
  isEnabledCleared: false,
  sessionDuration: null,
  sessionDurationCleared: false,
};

/** The settings after a change; an undefined field was not given. */
const changed = (before: Stored, { isEnabled, sessionDuration }: Given): Stored => ({
  isEnabled: isEnabled === undefined ? before.isEnabled : isEnabled,
  isEnabledCleared: isEnabled === undefined ? before.isEnabledCleared : isEnabled === null,
  sessionDuration: sessionDuration === undefined ? before.sessionDuration : sessionDuration,
  sessionDurationCleared:
    sessionDuration === undefined ? before.sessionDurationCleared : sessionDuration === null,
});

/**
 * Changes the caller's automation settings in one atomic step and returns all current settings. Equal values are no
 * change: without any other, nothing is written, not even `updatedAt`. The first call always creates the row.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export const updateAutomationSettings = operation(inputOf, async (context, given) => {
  const stored = await audited(context, (inner) => changeSettings(inner, given));
  return withDefaults(stored, context.services.settings);
});

async function changeSettings(context: OperationContext, given: Given): Promise<AutomationSettings> {
  const { owner, db, events, services } = context;
  const givesNone = given.isEnabled === undefined && given.sessionDuration === undefined;
  const [before] = await lockSettings(db, owner);
  const after = changed(before ?? neverSet, given);
  const isSame = (name: keyof Stored) => before?.[name] === after[name];
  if (before && (Object.keys(after) as (keyof Stored)[]).every(isSame)) return before;
  const values = { ...after, now: new Date() };
  const [settings] = before
    ? await updateSettings(db, { ...values, account: before.account })
    : await insertSettings(db, { ...values, account: await ensureAccount(context) });
  // Another first call came first.
  if (!settings) return changeSettings(context, given);
  const inTrail = (state: Stored) => {
    const { isEnabled, sessionDuration } = withDefaults(state, services.settings);
    return { is_enabled: isEnabled, session_duration: sessionDuration };
  };
  const changes = changesOf(inTrail(before ?? neverSet), inTrail(settings));
  if (!givesNone) events('automation-settings-updated', { accountId: settings.account }, changes);
  return settings;
}
