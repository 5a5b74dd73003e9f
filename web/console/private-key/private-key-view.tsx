import { useQuery } from '@tanstack/preact-query';
import { useHost } from '../ui/host.ts';
import { QueryContent } from '../ui/query-content.tsx';
import { View } from '../ui/view.tsx';
import { privateKeyStatusQuery } from './documents.ts';
import { PrivateKeyCard } from './private-key-card.tsx';

/** Whether the person has a private key registered. */
export function PrivateKeyView() {
  const { request } = useHost();
  const status = useQuery({
    queryKey: ['private-key-status'],
    queryFn: ({ signal }) => request(privateKeyStatusQuery, {}, { signal }),
  });
  return (
    <View
      title="Private key"
      lead="Automation signs with this key on your behalf. Keyward stores it encrypted, and nobody can read it back, not even you."
    >
      <QueryContent query={status} what="the private key’s status">
        {({ privateKeyStatus }) => <PrivateKeyCard status={privateKeyStatus} />}
      </QueryContent>
    </View>
  );
}
