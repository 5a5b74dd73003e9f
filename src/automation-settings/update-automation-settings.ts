import { sql } from 'kysely';
import { z } from 'zod';
import { ensureAccount } from '../accounts/ensure-account.ts';
import { prepareQuery } from '../database/prepare-query.ts';
import { type AccountId, AutomationSettings } from '../database/tables.ts';
import { audited } from '../operations/audited.ts';
import type { Caller, OperationContext, OperationLimits } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
import { withDefaults } from './automation-settings.ts';

const createInput = ({ sessionDuration: { min, max } }: OperationLimits) =>
  z.object({
    isEnabled: z.boolean().nullish(),
    sessionDuration: z
      .int()
      .min(min, `Must be at least ${min} seconds.`)
      .max(max, `Must be at most ${max} seconds.`)
      .nullish(),
  });

type Input = ReturnType<typeof createInput>;

const inputs = new WeakMap<OperationLimits, Input>();

/** The input of {@link updateAutomationSettings}: a field that is left out is kept, null clears it. */
export function updateAutomationSettingsInput(limits: OperationLimits): Input {
  // To make a schema takes longer than to use it.
  const input = inputs.get(limits) ?? createInput(limits);
  inputs.set(limits, input);
  return input;
}

/** A change of settings: whether each field was given, its value, and whether that is null. */
interface Change {
  readonly givesEnabled: boolean;
  readonly isEnabled: boolean | null;
  readonly clearsEnabled: boolean;
  readonly givesDuration: boolean;
  readonly sessionDuration: number | null;
  readonly clearsDuration: boolean;
  readonly now: Date;
}

const updateSettings = prepareQuery(AutomationSettings, (db, values: Caller & Change) => {
  const { issuer, subject, now } = values;
  const { givesEnabled, isEnabled, clearsEnabled } = values;
  const { givesDuration, sessionDuration, clearsDuration } = values;
  const account = db
    .selectFrom('account')
    .select('id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .where('blocked_at', 'is', null);
  return db
    .updateTable('automation_settings')
    .set({
      is_enabled: sql`case when ${givesEnabled} then ${isEnabled} else is_enabled end`,
      is_enabled_cleared: sql`case when ${givesEnabled} then ${clearsEnabled} else is_enabled_cleared end`,
      session_duration: sql`case when ${givesDuration} then ${sessionDuration} else session_duration end`,
      session_duration_cleared: sql`case when ${givesDuration} then ${clearsDuration} else session_duration_cleared end`,
      updated_at: sql`case when ${givesEnabled} or ${givesDuration} then ${now} else updated_at end`,
    })
    .where('account_id', '=', account)
    .returningAll();
});

const insertSettings = prepareQuery(AutomationSettings, (db, values: { account: AccountId } & Change) => {
  const { account, isEnabled, clearsEnabled, sessionDuration, clearsDuration, now } = values;
  return db
    .insertInto('automation_settings')
    .values({
      account_id: account,
      is_enabled: isEnabled,
      is_enabled_cleared: clearsEnabled,
      session_duration: sessionDuration,
      session_duration_cleared: clearsDuration,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .returningAll();
});

/**
 * Changes the caller's automation settings in one atomic step and returns all of them as they then read.
 * With no field given it changes nothing, `updatedAt` included; the first call creates the row.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export async function updateAutomationSettings(
  context: OperationContext,
  input: z.input<Input>,
): Promise<AutomationSettings> {
  const { isEnabled, sessionDuration } = parseInput(updateAutomationSettingsInput(context.limits), input);
  const change: Change = {
    givesEnabled: isEnabled !== undefined,
    isEnabled: isEnabled ?? null,
    clearsEnabled: isEnabled === null,
    givesDuration: sessionDuration !== undefined,
    sessionDuration: sessionDuration ?? null,
    clearsDuration: sessionDuration === null,
    now: new Date(),
  };
  const stored = await audited(context, (inner) => changeSettings(inner, change));
  return withDefaults(stored, context.limits);
}

async function changeSettings(context: OperationContext, change: Change): Promise<AutomationSettings> {
  const { caller, db, events } = context;
  const [settings = await createSettings(context, change)] = await updateSettings(db, {
    ...caller,
    ...change,
  });
  // Another first call was quicker.
  if (!settings) return changeSettings(context, change);
  if (change.givesEnabled || change.givesDuration)
    events('automation-settings-updated', { accountId: settings.account });
  return settings;
}

const createSettings = async (context: OperationContext, change: Change) => {
  const account = await ensureAccount(context);
  const [created] = await insertSettings(context.db, { account, ...change });
  return created;
};
