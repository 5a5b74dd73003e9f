import { useInfiniteQuery } from '@tanstack/preact-query';
import { useEffect } from 'preact/compat';
import { request } from '../api/request.ts';
import { apiKeysQuery } from './documents.ts';

/** The most that the service answers at once. */
const pageSize = 100;

/** All API keys of the person: the first page at once, and the others as they come. */
export function useApiKeys() {
  const list = useInfiniteQuery({
    queryKey: ['api-keys'],
    queryFn: ({ pageParam, signal }) => request(apiKeysQuery, { first: pageSize, after: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ apiKeys: { pageInfo } }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
  });
  const { hasNextPage, isFetching, error, fetchNextPage } = list;
  useEffect(() => {
    if (hasNextPage && !isFetching && !error) void fetchNextPage();
  }, [hasNextPage, isFetching, error, fetchNextPage]);
  return list;
}
