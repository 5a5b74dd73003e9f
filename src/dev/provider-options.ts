/** The options of the development identity provider. */
export interface DevelopmentIdentityProviderOptions {
  /**
   * Its issuer identifier, such as `http://127.0.0.1:4000/idp`. The caller mounts the provider at the identifier's
   * path.
   */
  readonly issuer: string;
  /** The `aud` of its access tokens. */
  readonly audience: string;
  /** Its one client, which is public. */
  readonly clientId: string;
  /** The scopes that a token may carry. */
  readonly scopes: readonly string[];
  /** Whether this process serves real people. Then the provider refuses to start. */
  readonly production: boolean;
}

/** The only resource of the provider (RFC 8707): Keyward, for every client. */
export const resource = 'urn:keyward:api';

/** Whether a value is a subject: not blank, and at most 255 characters (OpenID Connect Core, section 2). */
export const isSubject = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= 255;
