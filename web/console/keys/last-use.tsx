import { useQuery } from '@tanstack/preact-query';
import { useHost, useLanguage } from '../ui/host.ts';
import { Moment } from '../ui/moment.tsx';
import { apiKeyUsageQuery } from '../usage/documents.ts';
import type { ApiKey } from './api-key.ts';

const day = 24 * 60 * 60_000;

/** Says whether the key is in use: when it was last used, and how often in the last 24 hours. */
export function LastUse({ apiKey: { id, lastUsedAt } }: { readonly apiKey: ApiKey }) {
  const { request } = useHost();
  const { text, rich } = useLanguage();
  const usage = useQuery({
    queryKey: ['api-key-use', id],
    queryFn: ({ signal }) => {
      const to = new Date();
      const from = new Date(to.getTime() - day).toISOString();
      return request(apiKeyUsageQuery, { keyId: id, from, to: to.toISOString(), by: 'HOUR' }, { signal });
    },
  });
  if (lastUsedAt === null) return <p>{text('key.use-never')}</p>;
  const count = usage.data?.usage.counts
    .filter(({ outcome }) => outcome === 'valid')
    .reduce((sum, each) => sum + each.count, 0);
  const moment = <Moment at={lastUsedAt} />;
  return (
    <p>
      {count === undefined
        ? rich('key.use-last', { moment })
        : rich('key.use-last-and-often', { moment, count })}
    </p>
  );
}
