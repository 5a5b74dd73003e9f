import { useInfiniteQuery } from '@tanstack/preact-query';
import type { ResultOf } from 'gql.tada';
import { useEffect, useMemo } from 'preact/compat';
import { useHost } from '../ui/host.ts';
import { dailyUseQuery } from './documents.ts';

/** How often a key was verified on each of the last days, the oldest first. */
export type DailyUse = ResultOf<typeof dailyUseQuery>['apiKeys']['edges'][number]['node']['dailyUse'];

/** The service counts the uses of so many keys at once. */
const pageSize = 50;

/** The use of all keys in the last days, by the id of a key. The list does not wait for it. */
export function useDailyUse(): ReadonlyMap<number, DailyUse> {
  const { request } = useHost();
  const list = useInfiniteQuery({
    queryKey: ['daily-use'],
    queryFn: ({ pageParam, signal }) =>
      request(dailyUseQuery, { first: pageSize, after: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ apiKeys: { pageInfo } }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
  });
  const { data, hasNextPage, isFetching, error, fetchNextPage } = list;
  useEffect(() => {
    if (hasNextPage && !isFetching && !error) void fetchNextPage();
  }, [hasNextPage, isFetching, error, fetchNextPage]);
  return useMemo(
    () =>
      new Map(
        data?.pages.flatMap(({ apiKeys }) =>
          apiKeys.edges.map(({ node }) => [node.id, node.dailyUse] as const),
        ),
      ),
    [data],
  );
}
