import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/compat';
import { request } from '../api/request.ts';
import { nameOf } from '../keys/api-key.ts';
import { useApiKeys } from '../keys/use-api-keys.ts';
import { QueryContent } from '../ui/query-content.tsx';
import { useHash } from '../ui/use-hash.ts';
import { useNow } from '../ui/use-now.ts';
import { View } from '../ui/view.tsx';
import { apiKeysUsageQuery, apiKeyUsageQuery } from './documents.ts';
import { SpanChoice } from './span-choice.tsx';
import { pointsOf, rangeOf, type Span, spans } from './usage-points.ts';
import { UsageReport } from './usage-report.tsx';

/** How often all keys were verified, or the one whose id is in the address. */
export function UsageView() {
  const keyId = Number(/\/([1-9]\d{0,9})$/.exec(useHash())?.[1]) || undefined;
  const [span, setSpan] = useState<Span>('24h');
  return (
    <View title="Usage" lead="How often your API keys were verified, and with what result.">
      <div className="toolbar">
        <KeyChoice keyId={keyId} />
        <SpanChoice span={span} onChange={setSpan} />
      </div>
      <Usage key={`${keyId} ${span}`} keyId={keyId} span={span} />
    </View>
  );
}

interface UsageProps {
  readonly keyId: number | undefined;
  readonly span: Span;
}

function Usage({ keyId, span }: UsageProps) {
  const range = rangeOf(span, useNow());
  const variables = { from: range.from.toISOString(), to: range.to.toISOString(), by: spans[span].by };
  const query = useQuery({
    queryKey: ['usage', keyId, variables],
    queryFn: ({ signal }) =>
      keyId === undefined
        ? request(apiKeysUsageQuery, variables, { signal })
        : request(apiKeyUsageQuery, { ...variables, keyId }, { signal }),
  });
  return (
    <QueryContent query={query} what="usage">
      {({ usage }) => <UsageReport points={pointsOf(span, range.from, usage.counts)} span={span} />}
    </QueryContent>
  );
}

/** Chooses a key, or all of them. */
function KeyChoice({ keyId }: Pick<UsageProps, 'keyId'>) {
  const listed = useApiKeys().data?.pages.flatMap(({ apiKeys }) => apiKeys.edges.map(({ node }) => node));
  const keys: { readonly id: number; readonly name: string | null }[] = [...(listed ?? [])];
  // A key that is not fetched yet, or belongs to somebody else.
  if (keyId !== undefined && !keys.some(({ id }) => id === keyId)) keys.unshift({ id: keyId, name: null });
  return (
    <select
      aria-label="API key"
      value={keyId ?? ''}
      onChange={({ currentTarget }) => {
        location.hash = currentTarget.value === '' ? '#usage' : `#usage/${currentTarget.value}`;
      }}
    >
      <option value="">All API keys</option>
      {keys.map((key) => (
        <option key={key.id} value={key.id}>
          {nameOf(key)}
        </option>
      ))}
    </select>
  );
}
