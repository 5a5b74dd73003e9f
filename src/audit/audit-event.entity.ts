import { defineEntity, p } from '@mikro-orm/core';
import { Account } from '../accounts/account.entity.ts';

export const auditEventSchema = defineEntity({
  name: 'AuditEvent',
  tableName: 'audit_event',
  indexes: [{ properties: ['account', 'id'] }],
  properties: {
    id: p.integer().primary().autoincrement(),
    account: () => p.manyToOne(Account).mapToPk(),
    /** The name of the business event. */
    action: p.string(),
    /** The id of the row that was changed, in the table that the action is about. */
    target: p.integer().nullable(),
    /** The id of the request, as its answer named it. */
    request: p.string(),
    /** The IP address of the caller; null where it is not known. */
    address: p.string().nullable(),
    createdAt: p.datetime(3).onCreate(() => new Date()),
  },
});

/** That an account's owner changed something. Rows are added, never changed: the database sees to that. */
export class AuditEvent extends auditEventSchema.class {}
auditEventSchema.setClass(AuditEvent);
