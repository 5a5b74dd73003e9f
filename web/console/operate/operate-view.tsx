import { useHash } from '../layout/use-hash.ts';
import { AccountPage } from './account-page.tsx';
import { AccountSearch } from './account-search.tsx';
import { WebhookList } from './webhook-list.tsx';
import { WebhookPage } from './webhook-page.tsx';

/** What an operator does for others: finds accounts and, under the number of one, sees to it; and sees to webhooks. */
export function OperateView() {
  const [, webhooks, number] = /^#operate(\/webhooks)?(?:\/([1-9]\d{0,9}))?$/.exec(useHash()) ?? [];
  const id = Number(number) || undefined;
  if (webhooks !== undefined) return id === undefined ? <WebhookList /> : <WebhookPage key={id} id={id} />;
  return id === undefined ? <AccountSearch /> : <AccountPage key={id} id={id} />;
}
