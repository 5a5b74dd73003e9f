import type { Config, IssuerConfig } from './config.ts';

/** The kind of the database. */
export const databaseKind = ({ database: { url } }: Pick<Config, 'database'>): 'SQLite' | 'PostgreSQL' =>
  url.startsWith('sqlite:') ? 'SQLite' : 'PostgreSQL';

/**
 * The kind of the database, and for SQLite the file. A PostgreSQL URL stays hidden, because it may hold a password.
 */
export const databaseSummary = (config: Pick<Config, 'database'>): string => {
  const kind = databaseKind(config);
  return kind === 'SQLite' ? `${kind}, ${config.database.url.slice('sqlite:'.length)}` : kind;
};

/** The issuers whose access tokens the service accepts. */
export const issuerSummary = ({ issuers }: Pick<Config, 'issuers'>): string =>
  issuers.length > 0
    ? issuers.map(({ issuer }) => issuer).join(', ')
    : 'the development identity provider, which lets anyone in';

const either = (names: readonly string[]): string => names.join(' or ');

/** Which tokens of an issuer are for this service: `the audience keyward, or without one the client id web`. */
function audienceSummary(issuer: IssuerConfig): string {
  const { audiences, clientIds, authorizedParties, isForOneApplication, givesIdTokens } = issuer;
  if (isForOneApplication) return 'without an audience, because all are said to be for one application';
  const accepted = [
    ['the audience', audiences],
    ['without an audience, the client id', givesIdTokens ? [] : clientIds],
    ['without either, the party', givesIdTokens ? [] : authorizedParties],
  ] as const;
  const told = accepted.filter(([, names]) => names.length > 0);
  return `for ${told.map(([what, names]) => `${what} ${either(names)}`).join('; or ')}`;
}

/** Which claims a token of an issuer must have: `, if role is "authenticated"`. */
const requirementSummary = ({ requiredClaims }: IssuerConfig): string => {
  const told = [...requiredClaims].map(
    ([name, values]) =>
      `${name} is ${either(values.map((value) => (value === null ? 'missing' : JSON.stringify(value))))}`,
  );
  return told.length > 0 ? `, if ${told.join(' and ')}` : '';
};

/** Who gets in by the tokens of an issuer, in a sentence. */
export function acceptanceSummary(issuer: IssuerConfig): string {
  const { givesIdTokens, scopeClaims, people } = issuer;
  const kind = givesIdTokens ? 'ID tokens' : 'access tokens';
  const usual = people.length > 0 ? `; without any, a token has ${people.join(', ')}` : '';
  const claims = requirementSummary(issuer);
  return `${issuer.issuer}: ${kind} ${audienceSummary(issuer)}${claims}. Scopes are in ${either(scopeClaims)}${usual}.`;
}

/** What is signed about API keys, in a sentence; empty: nothing is. */
const assertionSummary = ({ assertions: { keys, audiences, seconds } }: Config): string[] =>
  keys
    ? [
        `Assertions: signed with the key ${keys[0].kid} (${keys[0].algorithm}), for ${either(audiences ?? [])}, for at most ${seconds} seconds.`,
      ]
    : [];

/** What a server may do that signs in with a secret, in a sentence. */
const serverSummary = ({ name, scopes }: Config['servers'][number]): string =>
  `Server ${name}: ${scopes.join(', ')}.`;

/**
 * Describes a valid configuration without secrets, and each issuer and each server in a line of its own.
 * @param more further sentences of the first line
 */
export const configSummary = (config: Config, more = ''): string =>
  [
    `The configuration is good. Database: ${databaseSummary(config)}. Issuer of access tokens: ${issuerSummary(config)}.${more}`,
    ...config.issuers.map(acceptanceSummary),
    ...config.servers.map(serverSummary),
    ...assertionSummary(config),
  ].join('\n');
