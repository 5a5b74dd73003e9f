import { claimsOf } from '../shared/claims-of.ts';
import { pageLanguage } from '../shared/page-language.ts';
import type { Session } from './session.ts';
import { settings } from './settings.ts';

type Claims = Readonly<Record<string, unknown>>;

/** The claims of a token, to show to its owner. Only the server checks whether they are true. */
function decode(token: string): Claims {
  try {
    return claimsOf(token);
  } catch (cause) {
    throw new Error(pageLanguage().text('sign-in.unusable-token'), { cause });
  }
}

const words = (value: unknown): readonly unknown[] =>
  typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [];

const firstText = (...values: readonly unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === 'string' && value !== '');

/**
 * Creates a session from an access token, which is a JWT.
 * @param token the access token
 * @param identity claims of an ID token that came with it
 * @throws {Error} with a sentence for a person
 */
export function readToken(token: string, identity: Claims = {}): Session {
  const { exp, iss, sub, scope, scp } = decode(token);
  const granted = [...words(scope), ...words(scp)];
  const expiresAt = typeof exp === 'number' ? exp * 1000 : Number.POSITIVE_INFINITY;
  if (expiresAt <= Date.now()) throw new Error(pageLanguage().text('sign-in.expired-token'));
  const subject = firstText(sub);
  return {
    accessToken: token,
    scopes: settings.scopes
      .filter(({ name, requestedAs }) => [name, ...requestedAs].some((word) => granted.includes(word)))
      .map(({ name }) => name),
    expiresAt,
    ...(subject !== undefined && { subject }),
    person: JSON.stringify([iss, subject]),
    name:
      firstText(identity['name'], identity['preferred_username'], identity['email'], subject) ??
      pageLanguage().text('sign-in.nameless'),
  };
}
