import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/compat';
import { Button } from '../../ui/button.tsx';
import { useHost } from '../../ui/host.ts';
import { QueryContent } from '../../ui/query-content.tsx';
import { View } from '../../ui/view.tsx';
import { AddEndpointDialog } from './add-endpoint-dialog.tsx';
import { webhookEndpointsQuery } from './documents.ts';
import { WebhookEndpointCard } from './endpoint-card.tsx';
import { type NewSigningSecret, SigningSecretDialog } from './signing-secret-dialog.tsx';

/** The webhook endpoints. */
export function WebhookList() {
  const { request } = useHost();
  const query = useQuery({
    queryKey: ['webhook-endpoints'],
    queryFn: ({ signal }) => request(webhookEndpointsQuery, {}, { signal }),
  });
  const [isAdding, setIsAdding] = useState(false);
  const [created, setCreated] = useState<NewSigningSecret>();
  return (
    <View
      title="Webhooks"
      lead="Keyward sends events to these endpoints, such as a leaked key or a blocked account."
      back={<a href="#operate">Operate</a>}
      action={
        <Button look="primary" onClick={() => setIsAdding(true)}>
          Add an endpoint
        </Button>
      }
    >
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
      {isAdding && <AddEndpointDialog onDismiss={() => setIsAdding(false)} onSecret={setCreated} />}
      {created && <SigningSecretDialog created={created} onDone={() => setCreated(undefined)} />}
    </View>
  );
}
