import type { ResultOf } from 'gql.tada';
import { Badge } from '../ui/badge.tsx';
import type { accountQuery, entitlementQuery } from './documents.ts';

/** An account as an operator sees it. */
export type Account = ResultOf<typeof accountQuery>['account'];

/** The plan of an account, as an operator sees it. */
export type Entitlement = ResultOf<typeof entitlementQuery>['entitlement'];

/** The name of an account: its subject, or its id once it is erased. */
export const nameOfAccount = ({
  id,
  subject,
  erasedAt,
}: Pick<Account, 'id' | 'subject' | 'erasedAt'>): string => (erasedAt === null ? subject : `Account ${id}`);

/** Where an account's page is. */
export const accountLink = (id: number): string => `#operate/${id}`;

/** Where the page of an account's key is. */
export const accountKeyLink = (id: number, keyId: number): string => `#operate/${id}/keys/${keyId}`;

/** The state of an account in a word. */
export function AccountBadge({ blockedAt, erasedAt }: Pick<Account, 'blockedAt' | 'erasedAt'>) {
  if (erasedAt !== null) return <Badge tone="muted">Erased</Badge>;
  return blockedAt === null ? null : <Badge tone="warn">Blocked</Badge>;
}

/** The number of keys, in words. */
export function keysOf({ apiKeyCount, activeApiKeyCount }: Account): string {
  if (apiKeyCount === 0) return 'No API keys';
  return `${apiKeyCount} API ${apiKeyCount === 1 ? 'key' : 'keys'}, ${activeApiKeyCount} active`;
}
