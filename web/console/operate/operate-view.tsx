import { idIn } from '../keys/api-key.ts';
import { usePlace } from '../ui/use-place.ts';
import { AccountKeyPage } from './account-key-page.tsx';
import { AccountPage } from './account-page.tsx';
import { AccountSearch } from './account-search.tsx';
import { TrailView } from './trail/trail-view.tsx';
import { WebhookList } from './webhooks/webhook-list.tsx';
import { WebhookPage } from './webhooks/webhook-page.tsx';

interface OperateViewProps {
  /** False for an auditor, who may see nothing but the audit events. */
  readonly isOperator: boolean;
}

/** The view of operators: the search for accounts, one account or one of its keys by their ids, the audit events of all accounts, and webhook endpoints. */
export function OperateView({ isOperator }: OperateViewProps) {
  const { item } = usePlace();
  const [first = '', second = '', third = ''] = item.split('/');
  if (first === 'trail' || !isOperator) return <TrailView isOperator={isOperator} />;
  if (first === 'webhooks') {
    const endpointId = idIn(second);
    return endpointId === undefined ? <WebhookList /> : <WebhookPage key={endpointId} id={endpointId} />;
  }
  const [id, keyId] = [idIn(first), second === 'keys' ? idIn(third) : undefined];
  if (id === undefined) return <AccountSearch />;
  return keyId === undefined ? (
    <AccountPage key={id} id={id} />
  ) : (
    <AccountKeyPage key={keyId} accountId={id} keyId={keyId} />
  );
}
