import { defineEntity, p } from '@mikro-orm/core';

export const accountSchema = defineEntity({
  name: 'Account',
  tableName: 'account',
  uniques: [{ properties: ['issuer', 'subject'] }],
  properties: {
    id: p.integer().primary().autoincrement().$type<AccountId>(),
    issuer: p.string(),
    subject: p.string(),
    createdAt: p.datetime(3).onCreate(() => new Date()),
  },
});

/** An account's id. Branded: nothing but an account that was found or created has one. */
export type AccountId = number & { readonly __brand: 'AccountId' };

/** Who owns things here: one subject of one issuer. Created on the first write. */
export class Account extends accountSchema.class {}
accountSchema.setClass(Account);
