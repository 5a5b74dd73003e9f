import { useQuery } from '@tanstack/preact-query';
import { useHost, useLanguage } from '../ui/host.ts';
import { QueryContent } from '../ui/query-content.tsx';
import { View } from '../ui/view.tsx';
import { privateKeyStatusQuery } from './documents.ts';
import { PrivateKeyCard } from './private-key-card.tsx';

/** Whether the person has a private key registered. */
export function PrivateKeyView() {
  const { request } = useHost();
  const { text } = useLanguage();
  const status = useQuery({
    queryKey: ['private-key-status'],
    queryFn: ({ signal }) => request(privateKeyStatusQuery, {}, { signal }),
  });
  return (
    <View title={text('private-key.title')} lead={text('private-key.lead')}>
      <QueryContent query={status} what={text('private-key.loaded')}>
        {({ privateKeyStatus }) => <PrivateKeyCard status={privateKeyStatus} />}
      </QueryContent>
    </View>
  );
}
