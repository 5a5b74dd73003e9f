/** What a person may do for an organisation. */
export type OrganizationRole = 'manage' | 'read';

/** An organisation as a token names it. */
export interface Organization {
  /** What the person may do for it; null: nothing, by the issuer's roles. */
  readonly role: OrganizationRole | null;
  /** Its name; null: the token does not tell. */
  readonly name: string | null;
  /** The roles that the issuer's configuration knows. */
  readonly config: {
    readonly manage?: readonly string[] | undefined;
    readonly read?: readonly string[] | undefined;
  };
}

/** The organisations of a token, by their ids at the issuer. */
export type Organizations = ReadonlyMap<string, Organization>;

/** The most organisations of a token: as many groups as Entra puts into one. */
export const mostOrganizations = 200;

/** The most characters of an organisation's id, or of its name. */
export const longestOrganization = 255;

/**
 * Whether a text can be an organisation's id: a header field must be able to carry it as it is, so it has visible ASCII
 * characters, and perhaps spaces between them.
 */
export const isOrganizationId = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= longestOrganization && /^[!-~](?:[ -~]*[!-~])?$/.test(value);
