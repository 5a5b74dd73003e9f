import { type InfiniteData, type QueryClient, useInfiniteQuery } from '@tanstack/preact-query';
import type { ResultOf } from 'gql.tada';
import { useEffect } from 'preact/compat';
import { useHost } from '../ui/host.ts';
import type { ApiKey } from './api-key.ts';
import { apiKeysQuery } from './documents.ts';

/** The most keys that the service returns in one response. */
const pageSize = 100;

const queryKey = ['api-keys'];

/**
 * All API keys of the person. The first page shows at once, the others as they arrive.
 * @param isNeeded whether to fetch them
 */
export function useApiKeys(isNeeded = true) {
  const { request } = useHost();
  const list = useInfiniteQuery({
    queryKey,
    enabled: isNeeded,
    queryFn: ({ pageParam, signal }) =>
      request(apiKeysQuery, { first: pageSize, after: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ apiKeys: { pageInfo } }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
  });
  const { hasNextPage, isFetching, error, fetchNextPage } = list;
  useEffect(() => {
    if (hasNextPage && !isFetching && !error) void fetchNextPage();
  }, [hasNextPage, isFetching, error, fetchNextPage]);
  return list;
}

/** The keys that were fetched already. */
export function knownApiKeys(queryClient: QueryClient): readonly ApiKey[] {
  const known = queryClient.getQueryData<InfiniteData<ResultOf<typeof apiKeysQuery>>>(queryKey);
  return known?.pages.flatMap(({ apiKeys }) => apiKeys.edges.map(({ node }) => node)) ?? [];
}
