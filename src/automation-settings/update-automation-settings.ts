import { z } from 'zod';
import { ensureAccount } from '../accounts/ensure-account.ts';
import { type OperationContext, type OperationLimits, parseInput } from '../operation.ts';
import { AutomationSettings } from './automation-settings.entity.ts';

/** The input of {@link updateAutomationSettings}: a field that is left out is kept, null clears it. */
export const updateAutomationSettingsInput = ({ sessionDuration: { min, max } }: OperationLimits) =>
  z.object({
    isEnabled: z.boolean().nullish(),
    sessionDuration: z
      .int()
      .min(min, `Must be at least ${min} seconds.`)
      .max(max, `Must be at most ${max} seconds.`)
      .nullish(),
  });

/**
 * Changes the caller's automation settings in one atomic step and returns all of them as stored.
 * With no field given it changes nothing, `updatedAt` included; the first call creates the row.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export async function updateAutomationSettings(
  context: OperationContext,
  input: z.input<ReturnType<typeof updateAutomationSettingsInput>>,
): Promise<AutomationSettings> {
  const given = parseInput(updateAutomationSettingsInput(context.limits), input);
  const account = await ensureAccount(context);
  const changed = Object.keys(given) as (keyof typeof given)[];
  const now = new Date();
  await context.em.upsert(
    AutomationSettings,
    { account, ...given, createdAt: now, updatedAt: now },
    changed.length === 0
      ? { onConflictFields: ['account'], onConflictAction: 'ignore' }
      : { onConflictFields: ['account'], onConflictMergeFields: [...changed, 'updatedAt'] },
  );
  if (changed.length > 0) context.events('automation-settings-updated', { accountId: account });
  return context.em.findOneOrFail(AutomationSettings, { account }, { refresh: true });
}
