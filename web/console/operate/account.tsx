import type { ResultOf } from 'gql.tada';
import type { Language } from '../../messages/language.ts';
import { Badge } from '../ui/badge.tsx';
import { useLanguage } from '../ui/host.ts';
import type { accountQuery, entitlementQuery } from './documents.ts';

/** An account as an operator sees it. */
export type Account = ResultOf<typeof accountQuery>['account'];

/** The plan of an account, as an operator sees it. */
export type Entitlement = ResultOf<typeof entitlementQuery>['entitlement'];

/** The name of an account: its subject, or its id once it is erased. */
export const nameOfAccount = (
  { text }: Language,
  { id, subject, erasedAt }: Pick<Account, 'id' | 'subject' | 'erasedAt'>,
): string => (erasedAt === null ? subject : text('operate.account', { id }));

/** Where an account's page is. */
export const accountLink = (id: number): string => `#operate/${id}`;

/** Where the page of an account's key is. */
export const accountKeyLink = (id: number, keyId: number): string => `#operate/${id}/keys/${keyId}`;

/** The state of an account in a word. */
export function AccountBadge({ blockedAt, erasedAt }: Pick<Account, 'blockedAt' | 'erasedAt'>) {
  const { text } = useLanguage();
  if (erasedAt !== null) return <Badge tone="muted">{text('operate.is-erased')}</Badge>;
  return blockedAt === null ? null : <Badge tone="warn">{text('operate.is-blocked')}</Badge>;
}

/** Whether the account is an organisation's, in a word. */
export function KindBadge({ kind }: Pick<Account, 'kind'>) {
  const { text } = useLanguage();
  return kind === 'organization' ? <Badge tone="muted">{text('operate.is-organization')}</Badge> : null;
}

/** The number of keys, in words. */
export const keysOf = ({ text }: Language, { apiKeyCount, activeApiKeyCount }: Account): string =>
  text('operate.keys', { count: apiKeyCount, active: activeApiKeyCount });
