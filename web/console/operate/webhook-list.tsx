import { useQuery } from '@tanstack/preact-query';
import { request } from '../api/request.ts';
import { QueryContent } from '../ui/query-content.tsx';
import { View } from '../ui/view.tsx';
import { webhookEndpointsQuery } from './documents.ts';
import { WebhookEndpointCard } from './webhook-endpoint-card.tsx';

/** The webhook endpoints. */
export function WebhookList() {
  const query = useQuery({
    queryKey: ['webhook-endpoints'],
    queryFn: ({ signal }) => request(webhookEndpointsQuery, {}, { signal }),
  });
  return (
    <View title="Webhooks" lead={<a href="#operate">All accounts</a>}>
      <QueryContent query={query} what="webhook endpoints">
        {({ webhookEndpoints: { edges } }) =>
          edges.length === 0 ? (
            <p className="empty">No webhook endpoints yet.</p>
          ) : (
            <ul className="cards" aria-label="Webhook endpoints">
              {edges.map(({ node }) => (
                <li key={node.id} className="card">
                  <WebhookEndpointCard endpoint={node}>
                    <h2>
                      <a href={`#operate/webhooks/${node.id}`}>
                        <bdi>{node.url}</bdi>
                      </a>
                    </h2>
                  </WebhookEndpointCard>
                </li>
              ))}
            </ul>
          )
        }
      </QueryContent>
    </View>
  );
}
