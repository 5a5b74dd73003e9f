import { useQuery } from '@tanstack/preact-query';
import { request } from '../api/request.ts';
import { QueryContent } from '../ui/query-content.tsx';
import { View } from '../ui/view.tsx';
import { webhookEndpointQuery } from './documents.ts';
import { WebhookDeliveries } from './webhook-deliveries.tsx';
import { WebhookEndpointCard } from './webhook-endpoint-card.tsx';

/** One webhook endpoint, and its deliveries. */
export function WebhookPage({ id }: { readonly id: number }) {
  const query = useQuery({
    queryKey: ['webhook-endpoint', id],
    queryFn: ({ signal }) => request(webhookEndpointQuery, { endpointId: id }, { signal }),
  });
  return (
    <View title={`Webhook endpoint ${id}`} lead={<a href="#operate/webhooks">All webhooks</a>}>
      <QueryContent query={query} what="the endpoint">
        {({ webhookEndpoint }) => (
          <>
            <section className="card">
              <WebhookEndpointCard endpoint={webhookEndpoint}>
                <h2>
                  <bdi>{webhookEndpoint.url}</bdi>
                </h2>
              </WebhookEndpointCard>
            </section>
            <WebhookDeliveries endpoint={webhookEndpoint} />
          </>
        )}
      </QueryContent>
    </View>
  );
}
