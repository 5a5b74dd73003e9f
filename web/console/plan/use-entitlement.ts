import { useQuery } from '@tanstack/preact-query';
import { request } from '../api/request.ts';
import { myEntitlementQuery } from './documents.ts';

/** What the provider grants the person. */
export const useEntitlement = () =>
  useQuery({
    queryKey: ['entitlement'],
    queryFn: ({ signal }) => request(myEntitlementQuery, {}, signal),
  });

/** The permissions that the person's plan allows; null: all, or it is not known yet. */
export const useCeiling = (): readonly string[] | null =>
  useEntitlement().data?.myEntitlement.effective.permissions ?? null;

/** The most days that a key of the person may last; infinite: there is no bound, or it is not known yet. */
export const useLongestLife = (): number =>
  useEntitlement().data?.myEntitlement.effective.maxKeyDays ?? Number.POSITIVE_INFINITY;
