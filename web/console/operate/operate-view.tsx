import { useHash } from '../ui/use-hash.ts';
import { AccountPage } from './account-page.tsx';
import { AccountSearch } from './account-search.tsx';
import { WebhookList } from './webhook-list.tsx';
import { WebhookPage } from './webhook-page.tsx';

/** The view of operators: the search for accounts, one account by its id, and webhook endpoints. */
export function OperateView() {
  const [, webhooks, number] = /^#operate(\/webhooks)?(?:\/([1-9]\d{0,9}))?$/.exec(useHash()) ?? [];
  const id = Number(number) || undefined;
  if (webhooks !== undefined) return id === undefined ? <WebhookList /> : <WebhookPage key={id} id={id} />;
  return id === undefined ? <AccountSearch /> : <AccountPage key={id} id={id} />;
}
