import { useQuery } from '@tanstack/preact-query';
import { useHost, useLanguage } from '../../ui/host.ts';
import { QueryContent } from '../../ui/query-content.tsx';
import { webhookMessageQuery } from './documents.ts';

interface DeliveryMessageProps {
  readonly id: number;
  readonly endpointId: number;
}

/** The message of a delivery, fetched on request. */
export function DeliveryMessage({ id, endpointId }: DeliveryMessageProps) {
  const { request } = useHost();
  const { text } = useLanguage();
  const query = useQuery({
    queryKey: ['webhook-message', id],
    queryFn: ({ signal }) => request(webhookMessageQuery, { endpointId, deliveryId: id }, { signal }),
  });
  return (
    <QueryContent query={query} what={text('operate.message-loaded')}>
      {({ webhookDelivery: { message, payload } }) => (
        <div className="payload">
          <p className="hint">
            <code>webhook-id: {message}</code>
          </p>
          <pre dir="ltr">{JSON.stringify(payload, null, 2)}</pre>
        </div>
      )}
    </QueryContent>
  );
}
