import { useQuery } from '@tanstack/preact-query';
import { useHost } from '../ui/host.ts';
import { myEntitlementQuery } from './documents.ts';

/** The plan of the person. */
export function useEntitlement() {
  const { request } = useHost();
  return useQuery({
    queryKey: ['entitlement'],
    queryFn: ({ signal }) => request(myEntitlementQuery, {}, { signal }),
  });
}

/** The permissions that the person's plan allows; null for any, or if the plan is not known yet. */
export const useCeiling = (): readonly string[] | null =>
  useEntitlement().data?.myEntitlement.effective.permissions ?? null;

/** The longest life of a key, in days; infinite if there is no limit, or if the plan is not known yet. */
export const useLongestLife = (): number =>
  useEntitlement().data?.myEntitlement.effective.maxKeyDays ?? Number.POSITIVE_INFINITY;
