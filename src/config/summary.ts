import type { Config } from './config.ts';

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

/** Describes a valid configuration in one line, without secrets. */
export const configSummary = (config: Config): string =>
  `The configuration is good. Database: ${databaseSummary(config)}. Issuer of access tokens: ${issuerSummary(config)}.`;
