import { secretFaults } from '../secrets/secret-keys.ts';
import type { Environment } from './environment.ts';

/** What several workers need. */
const workerFaults = (
  given: NodeJS.ProcessEnv,
  { WORKERS = 1 }: Partial<Environment>,
  development: boolean,
): [boolean, string][] => [
  [
    WORKERS > 1 && given['DATABASE_URL']?.startsWith('postgres') !== true,
    'WORKERS above 1 needs a PostgreSQL DATABASE_URL: an SQLite file is for one process',
  ],
  [
    WORKERS > 1 && development,
    'WORKERS above 1 needs AUTH_ISSUER: the development identity provider keeps its keys in one process',
  ],
];

/** What no single variable shows. A variable that is faulty in itself is absent from `env`. */
export const crossFaults = (given: NodeJS.ProcessEnv, env: Partial<Environment>): string[] => {
  const production = given['NODE_ENV'] === 'production';
  const single = given['AUTH_ISSUER'] !== undefined;
  const several = given['AUTH_ISSUERS'] !== undefined;
  const issuerGiven = single || several;
  const belongings = ['AUTH_AUDIENCE', 'AUTH_CLIENT_ID', 'AUTH_JWKS_URI', 'AUTH_SCOPE_ALIASES'];
  const { SESSION_DURATION_MIN: min = 0, SESSION_DURATION_MAX: max = min } = env;
  const faults: [boolean, string][] = [
    [min > max, 'SESSION_DURATION_MIN must not be above SESSION_DURATION_MAX'],
    [
      production && !issuerGiven,
      'AUTH_ISSUER (or AUTH_ISSUERS) must be set in production: the development identity provider lets anyone in',
    ],
    ...workerFaults(given, env, !issuerGiven && !production),
    [
      !issuerGiven &&
        !production &&
        !/^(localhost|127(\.\d{1,3}){3}|::1|0\.0\.0\.0|::)$/.test(env.HOST ?? 'localhost'),
      'HOST must be 127.0.0.1, ::1, 0.0.0.0 or :: while no AUTH_ISSUER is set: the development identity provider is found at this machine alone',
    ],
    [
      single && [env.AUTH_AUDIENCE, env.AUTH_CLIENT_ID].every((list) => list?.length === 0),
      'AUTH_AUDIENCE or AUTH_CLIENT_ID must be set beside AUTH_ISSUER: else a token for any other service would do',
    ],
    [
      !single && (several || !production) && belongings.some((name) => given[name] !== undefined),
      `AUTH_ISSUER must be set beside ${belongings.join(', ')}`,
    ],
    [
      env.AUTH_ISSUERS?.some(({ issuer }) => issuer === env.AUTH_ISSUER) === true,
      'AUTH_ISSUERS must not name the issuer of AUTH_ISSUER again',
    ],
  ];
  return [
    ...faults.flatMap(([faulty, sentence]) => (faulty ? [sentence] : [])),
    ...secretFaults(given, env, production || issuerGiven),
  ];
};
