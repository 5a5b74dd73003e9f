import type { Config } from './config.ts';

/** Which kind of database it is. */
export const databaseKind = ({ database: { url } }: Pick<Config, 'database'>): 'SQLite' | 'PostgreSQL' =>
  url.startsWith('sqlite:') ? 'SQLite' : 'PostgreSQL';

/** Which kind of database it is, and of SQLite which file; a PostgreSQL URL may hold a password. */
export const databaseSummary = (config: Pick<Config, 'database'>): string => {
  const kind = databaseKind(config);
  return kind === 'SQLite' ? `${kind}, ${config.database.url.slice('sqlite:'.length)}` : kind;
};

/** Whose access tokens are accepted. */
export const issuerSummary = ({ issuers }: Pick<Config, 'issuers'>): string =>
  issuers.length > 0
    ? issuers.map(({ issuer }) => issuer).join(', ')
    : 'the development identity provider, which lets anyone in';

/** A good configuration in one line, without a secret. */
export const configSummary = (config: Config): string =>
  `The configuration is good. Database: ${databaseSummary(config)}. Issuer of access tokens: ${issuerSummary(config)}.`;
