import type { OrganizationConfig } from '../config/issuers.ts';
import {
  isOrganizationId,
  longestOrganization,
  mostOrganizations,
  type OrganizationRole,
  type Organizations,
} from '../config/values/organizations.ts';
import { type Claims, claimOf } from './claims.ts';

/** A claim of a token about organisations has a form that no issuer gives it. */
export class MalformedOrganization extends Error {
  /** The path of the claim, as in the configuration. */
  readonly path: string;

  constructor(path: string) {
    super(`Malformed: ${path}`);
    this.path = path;
  }
}

const none: Organizations = new Map();

const isText = (value: unknown): value is string => typeof value === 'string';

const isObject = (value: unknown): value is Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The ids that a claim has, each with what the claim says of it. What cannot be an id here, such as `Süd`, is left out:
 * a strange group must not keep a person from what is their own. Nor must too many, of which none counts.
 */
function entriesOf(value: unknown, path: string): readonly (readonly [id: string, entry: unknown])[] {
  if (value === undefined || value === null) return [];
  const entries = isObject(value)
    ? Object.entries(value)
    : [value].flat().map((id) => [id as string, undefined] as const);
  if (!entries.every(([id]) => isText(id))) throw new MalformedOrganization(path);
  return entries.length > mostOrganizations ? [] : entries.filter(([id]) => isOrganizationId(id));
}

/** Follows a path: from the token, or with `*` from what the claim says of one organisation. */
function follow(path: string, claims: Claims, entry: unknown): unknown {
  if (path === '*') return entry;
  if (!path.startsWith('*.')) return claimOf(claims, path);
  return isObject(entry) ? claimOf(entry, path.slice('*.'.length)) : undefined;
}

/** The roles at a path: a text, a list of texts, or nothing. */
function rolesAt(path: string, claims: Claims, entry: unknown): readonly string[] {
  const value = follow(path, claims, entry) ?? [];
  const found = [value].flat();
  if (!found.every(isText)) throw new MalformedOrganization(path);
  return found;
}

function roleOf(
  { roles: path, manage, read }: OrganizationConfig,
  claims: Claims,
  entry: unknown,
): OrganizationRole | null {
  const roles = path === undefined ? [] : rolesAt(path, claims, entry);
  const hasOneOf = (wanted: readonly string[] | undefined) =>
    wanted === undefined || roles.some((role) => wanted.includes(role));
  if (hasOneOf(manage)) return 'manage';
  return hasOneOf(read) ? 'read' : null;
}

/** The name at a path; null for one that cannot be shown. */
function nameAt(path: string, claims: Claims, entry: unknown): string | null {
  const name = follow(path, claims, entry) ?? '';
  if (!isText(name)) throw new MalformedOrganization(path);
  const isShown = name !== '' && name.length <= longestOrganization && name.isWellFormed();
  return isShown ? name : null;
}

/**
 * Reads the organisations that a token names: one id, a list of ids, or an object by ids. A missing claim names none.
 * @param config how the issuer's tokens name them; undefined: they name none
 * @throws {MalformedOrganization} for a claim of another form
 */
export function organizationsOf(claims: Claims, config: OrganizationConfig | undefined): Organizations {
  if (config === undefined) return none;
  const entries = entriesOf(claimOf(claims, config.claim), config.claim);
  if (entries.length === 0) return none;
  const { name: path } = config;
  // One name for several organisations would be that of one of them at most.
  const hasNames = path !== undefined && (path.startsWith('*') || entries.length === 1);
  return new Map(
    entries.map(([id, entry]) => [
      id,
      { role: roleOf(config, claims, entry), name: hasNames ? nameAt(path, claims, entry) : null, config },
    ]),
  );
}
