import { useQuery } from '@tanstack/preact-query';
import type { ReactNode } from 'preact/compat';
import { useHost } from '../ui/host.ts';
import { QueryContent } from '../ui/query-content.tsx';
import { useNow } from '../ui/use-now.ts';
import { apiKeysUsageQuery, apiKeyUsageQuery } from './documents.ts';
import { pointsOf, rangeOf, type Span, spans, type UsagePoint } from './usage-points.ts';

interface UsageProps {
  /** The key; undefined for all keys. */
  readonly keyId: number | undefined;
  readonly span: Span;
  readonly children: (points: readonly UsagePoint[]) => ReactNode;
}

/** Fetches how often a key, or all keys, were verified. */
export function Usage({ keyId, span, children }: UsageProps) {
  const { request, language } = useHost();
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
    <QueryContent query={query} what={language.text('usage.loading')}>
      {({ usage }) => <>{children(pointsOf(span, range.from, usage.counts))}</>}
    </QueryContent>
  );
}
