import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/compat';
import { Button } from '../../ui/button.tsx';
import { useHost, useLanguage } from '../../ui/host.ts';
import { QueryContent } from '../../ui/query-content.tsx';
import { View } from '../../ui/view.tsx';
import { AddEndpointDialog } from './add-endpoint-dialog.tsx';
import { webhookEndpointsQuery } from './documents.ts';
import { WebhookEndpointCard } from './endpoint-card.tsx';
import { type NewSigningSecret, SigningSecretDialog } from './signing-secret-dialog.tsx';

/** The webhook endpoints. */
export function WebhookList() {
  const { request } = useHost();
  const { text } = useLanguage();
  const query = useQuery({
    queryKey: ['webhook-endpoints'],
    queryFn: ({ signal }) => request(webhookEndpointsQuery, {}, { signal }),
  });
  const [isAdding, setIsAdding] = useState(false);
  const [created, setCreated] = useState<NewSigningSecret>();
  return (
    <View
      title={text('operate.webhooks')}
      lead={text('operate.webhooks-lead')}
      back={<a href="#operate">{text('operate.webhooks-back')}</a>}
      action={
        <Button look="primary" onClick={() => setIsAdding(true)}>
          {text('operate.add-endpoint')}
        </Button>
      }
    >
      <QueryContent query={query} what={text('operate.endpoints-loaded')}>
        {({ webhookEndpoints: { edges } }) =>
          edges.length === 0 ? (
            <p className="empty">{text('operate.no-endpoints')}</p>
          ) : (
            <ul className="cards" aria-label={text('operate.endpoints')}>
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
