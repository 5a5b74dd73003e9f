import { useInfiniteQuery } from '@tanstack/preact-query';
import { useEffect } from 'preact/compat';
import { request } from '../api/request.ts';
import { apiKeysQuery } from './documents.ts';

/** The most keys that the service returns in one response. */
const pageSize = 100;

/** All API keys of the person. The first page shows at once, the others as they arrive. */
export function useApiKeys() {
  const list = useInfiniteQuery({
    queryKey: ['api-keys'],
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
