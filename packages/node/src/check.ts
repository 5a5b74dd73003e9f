import { noKey, refuse, unavailable } from './refuse.ts';
import type { CallerRequest, Checker, Needs, Verification } from './types.ts';

/**
 * Reads needs. Nothing is ignored: a mistake would let requests pass that may not.
 * @throws {TypeError} if something is malformed or unknown
 */
export function readNeeds(needs: Needs) {
  if (Object.getPrototypeOf(needs) !== Object.prototype) throw new TypeError('The needs are no plain object');
  for (const [name, value] of Object.entries(needs))
    if (name === 'permissions' ? !Array.isArray(value) : name !== 'cost' || !Number.isInteger(value))
      throw new TypeError(`${name} is malformed`);
  return { ...needs, permissions: [...new Set(needs.permissions)] };
}

/** What a verification says of a text that is no key. */
export const notFound = {
  valid: false,
  reason: 'not_found',
  key_id: null,
  user_id: null,
  owner_kind: null,
  organization_id: null,
  expires_at: null,
  name: null,
  permissions: [] as string[],
  metadata: null,
  automation: null,
  plan: null,
  entitlement: null,
  rate_limit: null,
  quota: null,
  stale: false,
  assertion: null,
} as const;

/**
 * Makes what checks requests.
 * @param read reads what names the caller: undefined if there is nothing
 * @param verify verifies it
 */
export const createCheck =
  (
    read: (request: CallerRequest) => string | undefined,
    verify: (text: string, needs: Needs & { readonly address?: string | undefined }) => Promise<Verification>,
  ): Checker['check'] =>
  (given) => {
    const needs = readNeeds(given);
    return async (request, address) => {
      const text = read(request);
      if (text === undefined) return { refusal: noKey };
      try {
        const verification = await verify(text, { ...needs, address });
        return verification.valid
          ? { caller: verification }
          : { refusal: refuse(verification, needs.permissions) };
      } catch (error) {
        return { refusal: unavailable(error) };
      }
    };
  };
