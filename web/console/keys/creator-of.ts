import type { Language } from '../../messages/language.ts';
import type { HostAccount } from '../ui/host.ts';
import type { ApiKey } from './api-key.ts';

/** Who created a key of an organisation: the person who looks, another member, or somebody who is not known any more. */
export function creatorOf(
  { text }: Language,
  { createdBy }: Pick<ApiKey, 'createdBy'>,
  { ownId }: HostAccount,
): string {
  if (createdBy === null) return text('keys.creator-unknown');
  return createdBy === ownId ? text('keys.creator-you') : text('keys.creator', { id: `${createdBy}` });
}
