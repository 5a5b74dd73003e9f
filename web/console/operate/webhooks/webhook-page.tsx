import { useQuery } from '@tanstack/preact-query';
import { useHost, useLanguage } from '../../ui/host.ts';
import { QueryContent } from '../../ui/query-content.tsx';
import { View } from '../../ui/view.tsx';
import { WebhookDeliveries } from './deliveries.tsx';
import { webhookEndpointQuery } from './documents.ts';
import { EndpointActions } from './endpoint-actions.tsx';
import { WebhookEndpointCard } from './endpoint-card.tsx';

/** One webhook endpoint, and its deliveries. */
export function WebhookPage({ id }: { readonly id: number }) {
  const { request } = useHost();
  const { text } = useLanguage();
  const query = useQuery({
    queryKey: ['webhook-endpoint', id],
    queryFn: ({ signal }) => request(webhookEndpointQuery, { endpointId: id }, { signal }),
  });
  return (
    <View
      title={text('operate.endpoint', { id })}
      back={<a href="#operate/webhooks">{text('operate.endpoint-back')}</a>}
    >
      <QueryContent query={query} what={text('operate.endpoint-loaded')}>
        {({ webhookEndpoint }) => (
          <>
            <section className="card">
              <WebhookEndpointCard
                endpoint={webhookEndpoint}
                actions={!webhookEndpoint.isConfigured && <EndpointActions endpoint={webhookEndpoint} />}
              >
                <h2 id="endpoint" tabIndex={-1}>
                  <bdi>{webhookEndpoint.url}</bdi>
                </h2>
              </WebhookEndpointCard>
              {webhookEndpoint.isConfigured && webhookEndpoint.removedAt === null && (
                <p className="hint">{text('operate.endpoint-configured')}</p>
              )}
            </section>
            <WebhookDeliveries endpoint={webhookEndpoint} />
          </>
        )}
      </QueryContent>
    </View>
  );
}
