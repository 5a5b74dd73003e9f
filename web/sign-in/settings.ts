import type { CompiledMessages } from '../messages/compiled-message.ts';
import type { LaterPart } from '../messages/language.ts';

/** The provider and the client for signing a person in. */
export interface SignInSettings {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  /** Whether the provider names itself when it sends a person back (RFC 9207). */
  readonly issParameter: boolean;
  readonly clientId: string;
  /** Parameters to send besides those of the standard. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** A scope that a page can request. */
export interface ScopeSetting {
  readonly name: string;
  readonly description: string;
  /** Its names at the identity provider. */
  readonly requestedAs: readonly string[];
  readonly byDefault: boolean;
}

/** A page of the provider's own. */
export type ProviderPage = 'documentation' | 'support' | 'terms' | 'privacy';

/** What the server tells a page. */
export interface Settings {
  /** Undefined if no client is registered; the person then pastes a token. */
  readonly signIn?: SignInSettings;
  readonly scopes: readonly ScopeSetting[];
  /** Whether tokens of the provider may name organisations. */
  readonly organizations: boolean;
  /** The paths of the pages that exist. */
  readonly pages: { readonly console?: string; readonly graphiql?: string; readonly reference?: string };
  /** The header in which programs send an API key. */
  readonly apiKeyHeader: string;
  /** The permissions that an API key can have; null if the operator lists none. */
  readonly apiKeyPermissions: readonly string[] | null;
  /** The provider's name, as people know it. */
  readonly providerName?: string;
  /** What the console says to somebody who is not signed in. */
  readonly providerSentence?: string;
  /** The provider's logo, with its own size in CSS pixels if it tells one. */
  readonly providerLogo?: { readonly src: string; readonly width?: number; readonly height?: number };
  /** The provider's own pages. */
  readonly providerLinks?: readonly { readonly name: ProviderPage; readonly url: string }[];
  /** The language of the console. */
  readonly language?: {
    /** The locale of numbers and times (BCP 47). */
    readonly locale: string;
    /** The texts of the first view. */
    readonly main: CompiledMessages;
    /** The paths of the other texts. */
    readonly later: Readonly<Record<LaterPart, string>>;
  };
  /** The least and the greatest session length, in seconds. */
  readonly sessionDuration: { readonly min: number; readonly max: number };
}

const text = document.getElementById('settings')?.textContent;

/** What the server has written into this page. */
export const settings: Settings = text
  ? JSON.parse(text)
  : {
      scopes: [],
      organizations: false,
      pages: {},
      apiKeyHeader: 'X-API-Key',
      apiKeyPermissions: null,
      sessionDuration: { min: 60, max: 86_400 },
    };

/** Whether a person can sign in here. PKCE needs cryptography, which browsers offer only over HTTPS or on localhost. */
export const canSignIn = (): boolean => settings.signIn !== undefined && window.isSecureContext;

/** The scope that makes a person an operator. The server has it only with `ADMIN=on`. */
export const operatorScope = 'keyward.admin';
/** The scope of an auditor, who reads the audit events of all accounts and nothing else. The server has it with the other. */
export const auditorScope = 'keyward.audit';
export const offersOperators: boolean = settings.scopes.some(({ name }) => name === operatorScope);
