import { idIn } from '../keys/api-key.ts';
import { usePlace } from '../ui/use-hash.ts';
import { AccountPage } from './account-page.tsx';
import { AccountSearch } from './account-search.tsx';
import { WebhookList } from './webhook-list.tsx';
import { WebhookPage } from './webhook-page.tsx';

/** The view of operators: the search for accounts, one account by its id, and webhook endpoints. */
export function OperateView() {
  const { item } = usePlace();
  const [first = '', second = ''] = item.split('/');
  const isWebhooks = first === 'webhooks';
  const id = idIn(isWebhooks ? second : first);
  if (isWebhooks) return id === undefined ? <WebhookList /> : <WebhookPage key={id} id={id} />;
  return id === undefined ? <AccountSearch /> : <AccountPage key={id} id={id} />;
}
