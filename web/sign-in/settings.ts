/** Where and as whom a page signs a person in. */
export interface SignInSettings {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  /** Whether the provider names itself when it sends a person back (RFC 9207). */
  readonly issParameter: boolean;
  readonly clientId: string;
  /** What is sent beside the standard's parameters. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** A scope that can be asked for. */
export interface ScopeSetting {
  readonly name: string;
  readonly description: string;
  /** How the identity provider calls it. */
  readonly requestedAs: readonly string[];
  readonly byDefault: boolean;
}

/** What the server tells a page. */
export interface Settings {
  /** Undefined: no client is registered, so a token is pasted. */
  readonly signIn?: SignInSettings;
  readonly scopes: readonly ScopeSetting[];
  /** The paths of the pages that there are. */
  readonly pages: { readonly console?: string; readonly graphiql?: string; readonly reference?: string };
  /** The header in which programs send an API key. */
  readonly apiKeyHeader: string;
  /** The bounds of a session's duration in seconds, both inclusive. */
  readonly sessionDuration: { readonly min: number; readonly max: number };
}

const text = document.getElementById('settings')?.textContent;

/** What the server has written into this page. */
export const settings: Settings = text
  ? JSON.parse(text)
  : { scopes: [], pages: {}, apiKeyHeader: 'X-API-Key', sessionDuration: { min: 60, max: 86_400 } };

/** Whether a person can sign in here; PKCE needs cryptography that browsers give to HTTPS and to this machine alone. */
export const canSignIn = (): boolean => settings.signIn !== undefined && window.isSecureContext;

/** The scope that makes somebody an operator, and whether the server has it: only with `ADMIN=on`. */
export const operatorScope = 'keyward.admin';
export const offersOperators: boolean = settings.scopes.some(({ name }) => name === operatorScope);
