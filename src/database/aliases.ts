import type { EntityName } from '@mikro-orm/sql';
import {
  Account,
  AccountQuota,
  ApiKeyQuota,
  ApiKeySecret,
  AutomationSettings,
  WebhookDelivery,
} from './tables.ts';

/** What a column holds: the same as a property of an entity, or the truth of a condition. */
export type Alias = readonly [entity: EntityName, property: string] | 'flag';

/**
 * The columns that queries select beside those of their own entity, by their names there. Their values are checked and
 * converted like those of the entity; the values of a column with any other name would stay as the database returns
 * them. Every column that decides about an API key or an account needs its line here.
 */
export const aliases: Readonly<Record<string, Alias>> = {
  blocked: 'flag',
  isBlocked: 'flag',
  issuer: [Account, 'issuer'],
  subject: [Account, 'subject'],
  plan: [Account, 'plan'],
  overrides: [Account, 'overrides'],
  digest: [ApiKeySecret, 'digest'],
  secretId: [ApiKeySecret, 'id'],
  worksUntil: [ApiKeySecret, 'worksUntil'],
  marked: 'flag',
  quotaUnits: [ApiKeyQuota, 'units'],
  quotaRefill: [ApiKeyQuota, 'refill'],
  quotaTaken: [ApiKeyQuota, 'taken'],
  quotaGeneration: [ApiKeyQuota, 'generation'],
  quotaRefillsAt: [ApiKeyQuota, 'refillsAt'],
  quotaOver: 'flag',
  sharedRefill: [AccountQuota, 'refill'],
  sharedTaken: [AccountQuota, 'taken'],
  sharedGeneration: [AccountQuota, 'generation'],
  sharedRefillsAt: [AccountQuota, 'refillsAt'],
  sharedOver: 'flag',
  over: 'flag',
  automationEnabled: [AutomationSettings, 'isEnabled'],
  automationEnabledCleared: [AutomationSettings, 'isEnabledCleared'],
  sessionDuration: [AutomationSettings, 'sessionDuration'],
  sessionDurationCleared: [AutomationSettings, 'sessionDurationCleared'],
  urgent: 'flag',
  lastAttemptAt: [WebhookDelivery, 'lastAttemptAt'],
};
