import { defineEntity, p } from '@mikro-orm/core';
import { Account } from '../accounts/account.entity.ts';

export const automationSettingsSchema = defineEntity({
  name: 'AutomationSettings',
  tableName: 'automation_settings',
  properties: {
    id: p.integer().primary().autoincrement(),
    account: () => p.oneToOne(Account).mapToPk().owner(),
    isEnabled: p.boolean().nullable(),
    /** Seconds. */
    sessionDuration: p.integer().nullable(),
    createdAt: p.datetime(3).onCreate(() => new Date()),
    updatedAt: p.datetime(3).onCreate(() => new Date()),
  },
});

/** How an account's automation runs; null where it was never set. */
export class AutomationSettings extends automationSettingsSchema.class {}
automationSettingsSchema.setClass(AutomationSettings);
