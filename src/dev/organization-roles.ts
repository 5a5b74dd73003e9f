import { isOrganizationId } from '../config/values/organizations.ts';

/** Organisations by their ids, each with the role that a person has in it. */
export type OrganizationRoles = Readonly<Record<string, string>>;

/** The roles that the sign-in page offers. A token may have any other, too. */
export const offeredRoles = ['admin', 'member'] as const;

/** The role of a person for whom no role is given. */
export const defaultRole: (typeof offeredRoles)[number] = 'member';

/** The claim of the access tokens that names the organisations of a person. */
export const organizationsClaim = 'organizations';

const isRole = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= 255;

/**
 * What is wrong with organisations and their roles.
 * @returns a sentence; undefined if nothing is wrong
 */
export function organizationsFault(organizations: Readonly<Record<string, unknown>>): string | undefined {
  if (!Object.keys(organizations).every(isOrganizationId))
    return "An organisation's id must have 1 to 255 visible ASCII characters, with spaces only inside.";
  if (!Object.values(organizations).every(isRole)) return 'A role must have 1 to 255 characters.';
  return undefined;
}

/** The value of the claim: what it says of each organisation. The name is the id with a capital. */
export const organizationsClaimOf = (organizations: OrganizationRoles) =>
  Object.fromEntries(
    Object.entries(organizations).map(([id, role]) => [
      id,
      { role, name: id.charAt(0).toUpperCase() + id.slice(1) },
    ]),
  );
