import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/compat';
import { useHost, useLanguage } from '../ui/host.ts';
import { QueryContent } from '../ui/query-content.tsx';
import { useNow } from '../ui/use-now.ts';
import { SpanChoice } from '../usage/span-choice.tsx';
import { pointsOf, rangeOf, type Span, spans } from '../usage/usage-points.ts';
import { UsageReport } from '../usage/usage-report.tsx';
import { accountApiKeyUsageQuery, accountUsageQuery } from './documents.ts';

interface AccountUsageProps {
  /** An account, to count all its keys together; or one key. */
  readonly of: { readonly accountId: number } | { readonly keyId: number };
}

/** How often all keys of an account, or one key, were verified. */
export function AccountUsage({ of }: AccountUsageProps) {
  const { request } = useHost();
  const { text } = useLanguage();
  const [span, setSpan] = useState<Span>('24h');
  const range = rangeOf(span, useNow());
  const variables = { from: range.from.toISOString(), to: range.to.toISOString(), by: spans[span].by };
  const query = useQuery({
    queryKey: ['account-usage', of, variables],
    queryFn: ({ signal }) =>
      'keyId' in of
        ? request(accountApiKeyUsageQuery, { ...variables, keyId: of.keyId }, { signal })
        : request(accountUsageQuery, { ...variables, id: of.accountId }, { signal }),
  });
  return (
    <>
      <SpanChoice span={span} onChange={setSpan} />
      <QueryContent query={query} what={text('operate.usage-loaded')}>
        {({ usage }) => <UsageReport points={pointsOf(span, range.from, usage.counts)} span={span} />}
      </QueryContent>
    </>
  );
}
