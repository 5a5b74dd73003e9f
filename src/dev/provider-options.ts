/** What the development identity provider is made from. */
export interface DevelopmentIdentityProviderOptions {
  /** Its issuer identifier; the path is where the caller mounts it: `http://127.0.0.1:4000/idp`. */
  readonly issuer: string;
  /** The `aud` of its access tokens. */
  readonly audience: string;
  /** Its one client, which is public. */
  readonly clientId: string;
  /** The scopes that a token may carry. */
  readonly scopes: readonly string[];
  /** Whether this process serves real people; the provider then refuses to be made. */
  readonly production: boolean;
}

/** The one resource of the provider (RFC 8707): Keyward, whoever asks. */
export const resource = 'urn:keyward:api';

/** A subject has at most 255 characters (OpenID Connect Core, 2). */
export const isSubject = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= 255;
