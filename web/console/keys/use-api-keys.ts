import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { request } from '../api/request.ts';
import { apiKeysQuery } from './documents.ts';

const pageSize = 20;

/** Which keys are listed: all, the active, or the deactivated. */
export type KeyFilter = 'all' | 'active' | 'deactivated';

const isActive = { all: null, active: true, deactivated: false } as const;

/** The API keys of the person, page by page, the newest first. */
export const useApiKeys = (filter: KeyFilter) =>
  useInfiniteQuery({
    queryKey: ['api-keys', filter],
    queryFn: ({ pageParam, signal }) =>
      request(apiKeysQuery, { first: pageSize, after: pageParam, isActive: isActive[filter] }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ apiKeys: { pageInfo } }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
    placeholderData: keepPreviousData,
  });
