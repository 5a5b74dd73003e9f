import type { Language } from '../../../messages/language.ts';
import { ownActions } from '../../activity/actions.ts';

const accountActions = [
  'account-created',
  'account-entitlement-changed',
  'account-blocked',
  'account-unblocked',
  'account-erased',
  'account-trail-read',
  'audit-trail-read',
] as const;

const webhookActions = [
  'webhook-endpoint-created',
  'webhook-endpoint-updated',
  'webhook-secret-rotated',
  'webhook-endpoint-removed',
  'webhook-delivery-resent',
] as const;

const isOfKey = (action: string) => /^(?:default-)?api-key-/.test(action);

/** The actions to choose from, in groups. */
export const actionGroups = [
  { name: 'operate.trail-group-keys', actions: ownActions.filter(isOfKey) },
  {
    name: 'operate.trail-group-accounts',
    actions: [...accountActions, ...ownActions.filter((action) => !isOfKey(action))],
  },
  { name: 'operate.trail-group-webhooks', actions: webhookActions },
] as const;

const knownIn = <Name extends string>(names: readonly Name[], action: string): Name | undefined =>
  names.find((name) => name === action);

/** What an action is called. One that this page does not know has the service's name. */
export function nameOfAction({ text }: Language, action: string): string {
  const own = knownIn(ownActions, action);
  if (own !== undefined) return text(`activity.filter-${own}`);
  const other = knownIn([...accountActions, ...webhookActions], action);
  return other === undefined ? action : text(`operate.trail-${other}`);
}
