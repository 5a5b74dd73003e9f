import { secretKeys } from '../secrets/secret-list.ts';
import { type Environment, environmentSchema, inFiles, type VariableName } from './environment.ts';
import { audienceFault } from './issuers.ts';
import { isRefusedHost } from './values/addresses.ts';

/**
 * A faulty variable, and the rest of a sentence that begins with the variable's name: `must not be above …`. The
 * sentence never shows a value.
 */
export type Fault = readonly [name: VariableName, problem: string];

/** Which variables are set, and the values of those that are valid, or of their files; `env` lacks a variable that is itself faulty. */
export interface Given {
  readonly isSet: (name: VariableName) => boolean;
  readonly env: Partial<Environment>;
}

/**
 * Describes a fault in one line, with a valid example: `PORT must be a whole number from 0 to 65535. Example:
 * PORT=4000`.
 */
export const describeFault = ([name, problem]: Fault): string =>
  `${name} ${problem}. Example: ${name}=${environmentSchema.shape[name].meta()?.example}`;

const when = (faulty: boolean, ...fault: Fault): Fault[] => (faulty ? [fault] : []);

const isProduction = ({ env }: Given): boolean => env.NODE_ENV === 'production';

const hasIssuer = ({ isSet }: Given): boolean => isSet('AUTH_ISSUER') || isSet('AUTH_ISSUERS');

/** Whether the service would start the development identity provider. */
const isDevelopment = (given: Given): boolean => !hasIssuer(given) && !isProduction(given);

/** The variables that say the same in two ways. Only one of each pair may be set. */
const pairs = [
  ...inFiles.map((name) => [name, `${name}_FILE`] as const),
  ['LEAK_REPORT_KEYS_URL', 'LEAK_REPORT_KEYS_FILE'],
] as const;

const pairFaults = ({ isSet }: Given): Fault[] =>
  pairs.flatMap((pair) => when(pair.every(isSet), pair[0], `and ${pair[1]} must not both be set`));

const boundFaults = ({ env }: Given): Fault[] => {
  const { SESSION_DURATION_MIN: min = 0, SESSION_DURATION_MAX: max = Number.POSITIVE_INFINITY } = env;
  const { AUTOMATION_DEFAULT_SESSION_DURATION: usual } = env;
  return [
    ...when(min > max, 'SESSION_DURATION_MIN', 'must be at most SESSION_DURATION_MAX'),
    ...when(
      usual !== undefined && (usual < min || usual > max),
      'AUTOMATION_DEFAULT_SESSION_DURATION',
      'must be between SESSION_DURATION_MIN and SESSION_DURATION_MAX',
    ),
    ...when(
      (env.API_KEY_DAYS_DEFAULT ?? 0) > (env.API_KEY_DAYS_MAX ?? Number.POSITIVE_INFINITY),
      'API_KEY_DAYS_DEFAULT',
      'must be at most API_KEY_DAYS_MAX',
    ),
  ];
};

const workerFaults = (given: Given): Fault[] => {
  const { isSet, env } = given;
  if (env.WORKERS === undefined || env.WORKERS === 1) return [];
  return [
    ...when(
      !(isSet('DATABASE_URL') || isSet('DATABASE_URL_FILE')) ||
        env.DATABASE_URL?.startsWith('sqlite:') === true,
      'DATABASE_URL',
      'must name a PostgreSQL database if WORKERS is above 1: an SQLite file is for one process',
    ),
    ...when(
      isDevelopment(given),
      'AUTH_ISSUER',
      '(or AUTH_ISSUERS) must be set if WORKERS is above 1: the development identity provider works in one process only',
    ),
  ];
};

const ownAddress = /^(localhost|127(\.\d{1,3}){3}|::1|0\.0\.0\.0|::)$/;

const developmentFaults = (given: Given): Fault[] => [
  ...when(
    isProduction(given) && !hasIssuer(given),
    'AUTH_ISSUER',
    '(or AUTH_ISSUERS) must be set in production: the development identity provider lets anyone in',
  ),
  ...when(
    isDevelopment(given) && !ownAddress.test(given.env.HOST ?? 'localhost'),
    'HOST',
    'must be 127.0.0.1, ::1, 0.0.0.0 or :: if AUTH_ISSUER is not set: the development identity provider works on this machine only',
  ),
];

const ofIssuer = [
  ...(['AUTH_AUDIENCE', 'AUTH_CLIENT_ID', 'AUTH_AUTHORIZED_PARTIES', 'AUTH_TOKENS', 'AUTH_REQUIRE'] as const),
  ...([
    'AUTH_JWKS_URI',
    'AUTH_SCOPE_CLAIMS',
    'AUTH_SCOPE_ALIASES',
    'AUTH_PEOPLE',
    'AUTH_ORGANIZATION',
  ] as const),
] as const;

/** What is wrong with whose tokens the issuer of `AUTH_ISSUER` accepts; undefined also if one of these settings is faulty. */
function singleFault({ isSet, env }: Given): string | undefined {
  const {
    AUTH_ISSUER: issuer = '',
    AUTH_AUDIENCE: audience,
    AUTH_CLIENT_ID: clientId,
    AUTH_TOKENS: tokens,
  } = env;
  const { AUTH_AUTHORIZED_PARTIES: authorizedParties } = env;
  if (!isSet('AUTH_ISSUER') || !audience || !clientId || !authorizedParties || !tokens) return undefined;
  const fault = audienceFault({ issuer, audience, clientId, authorizedParties, tokens });
  return fault?.replace('a clientId or authorizedParties', 'AUTH_CLIENT_ID or AUTH_AUTHORIZED_PARTIES');
}

const issuerFaults = (given: Given): Fault[] => {
  const { isSet, env } = given;
  const single = isSet('AUTH_ISSUER');
  const stray = ofIssuer.filter(isSet);
  const fault = singleFault(given);
  const listed = env.AUTH_ISSUERS ?? [];
  const grantsAdmin = listed.some(({ grants }) => grants?.includes('keyward.admin'));
  return [
    ...when(
      env.ADMIN === true && listed.length + Number(single) > 1 && !grantsAdmin,
      'AUTH_ISSUERS',
      'must list "keyward.admin" in the "grants" of an issuer if ADMIN=on: each of several issuers grants only what its "grants" list',
    ),
    ...when(fault !== undefined, 'AUTH_AUDIENCE', fault ?? ''),
    ...when(
      !single && stray.length > 0 && (isSet('AUTH_ISSUERS') || !isProduction(given)),
      'AUTH_ISSUER',
      `must be set with ${stray.join(', ')}`,
    ),
    ...when(
      listed.some(({ issuer }) => issuer === env.AUTH_ISSUER),
      'AUTH_ISSUERS',
      'must not name the issuer of AUTH_ISSUER again',
    ),
  ];
};

const pageFaults = (given: Given): Fault[] => {
  const hasClient = given.isSet('AUTH_BROWSER_CLIENT_ID');
  return [
    ...when(
      given.isSet('PROVIDER_LOGO') && !given.isSet('PROVIDER_NAME'),
      'PROVIDER_NAME',
      'must be set with PROVIDER_LOGO: it is what a screen reader says',
    ),
    ...when(
      isDevelopment(given) && hasClient,
      'AUTH_ISSUER',
      '(or AUTH_ISSUERS) must be set with AUTH_BROWSER_CLIENT_ID: the development identity provider has its own client',
    ),
    ...when(
      given.isSet('AUTH_BROWSER_PARAMETERS') && !hasClient,
      'AUTH_BROWSER_CLIENT_ID',
      'must be set with AUTH_BROWSER_PARAMETERS',
    ),
  ];
};

/** Finds webhook endpoints to which the service would never send an event. */
const webhookFaults = ({ env }: Given): Fault[] => {
  return when(
    env.WEBHOOKS?.some(({ url }) => isRefusedHost(url, env.WEBHOOKS_ALLOW ?? [])) === true,
    'WEBHOOKS_ALLOW',
    'must list the host of each endpoint with an address or a name of this machine or a private network',
  );
};

const leakReportFaults = ({ isSet, env }: Given): Fault[] => {
  const keys = (['LEAK_REPORT_KEYS_URL', 'LEAK_REPORT_KEYS_FILE'] as const).filter(isSet);
  return when(
    keys.length > 0 && env.LEAKED_KEYS === 'off',
    'LEAKED_KEYS',
    `must be "mark", "pause" or "end" with ${keys.join(' and ')}`,
  );
};

const secretKinds = ['KEY_PEPPERS', 'KEY_ENCRYPTION_KEYS'] as const;

/** Finds missing secrets. Without an issuer and outside production, both kinds may be missing, but not only one. */
const secretFaults = (given: Given): Fault[] => {
  const missing = secretKinds.filter((kind) => !given.isSet(kind) && !given.isSet(`${kind}_FILE`));
  const mayMiss = isDevelopment(given) && missing.length === secretKinds.length;
  return mayMiss ? [] : missing.map((kind) => [kind, `(or ${kind}_FILE) must be set: VERSION:SECRET`]);
};

/** Finds a secret that serves two purposes: it would be only as safe as the weaker of them. */
const sharedSecrets = ({ env }: Given): Fault[] => {
  const { peppers = [], encryptionKeys = [] } = secretKeys(env) ?? {};
  return peppers.flatMap((pepper) =>
    encryptionKeys
      .filter(({ key }) => key.equals(pepper.key))
      .map(
        ({ version }): Fault => [
          'KEY_PEPPERS',
          `version ${pepper.version} and KEY_ENCRYPTION_KEYS version ${version} must not have the same secret`,
        ],
      ),
  );
};

/** Finds what assertions need, and what would let one be taken for an access token of this service. */
const assertionFaults = (given: Given): Fault[] => {
  const { isSet, env } = given;
  const hasKeys = isSet('ASSERTION_KEYS') || isSet('ASSERTION_KEYS_FILE');
  const isMissing = (name: VariableName) => hasKeys && !isSet(name);
  const issuers = [env.AUTH_ISSUER, ...(env.AUTH_ISSUERS ?? []).map(({ issuer }) => issuer)];
  return [
    ...when(
      isMissing('ASSERTION_AUDIENCE') || (hasKeys && env.ASSERTION_AUDIENCE?.length === 0),
      'ASSERTION_AUDIENCE',
      'must be set with ASSERTION_KEYS: it names your services that check assertions',
    ),
    ...when(
      isMissing('PUBLIC_URL'),
      'PUBLIC_URL',
      'must be set with ASSERTION_KEYS: it is the issuer of assertions',
    ),
    ...when(
      isSet('ASSERTION_AUDIENCE') && !hasKeys && !isDevelopment(given),
      'ASSERTION_KEYS',
      'must be set with ASSERTION_AUDIENCE',
    ),
    ...when(
      hasKeys && env.PUBLIC_URL !== undefined && issuers.includes(env.PUBLIC_URL),
      'AUTH_ISSUER',
      '(or AUTH_ISSUERS) must not be PUBLIC_URL with ASSERTION_KEYS: an assertion is no access token for Keyward',
    ),
  ];
};

const checks = [
  pairFaults,
  boundFaults,
  developmentFaults,
  workerFaults,
  issuerFaults,
  pageFaults,
  webhookFaults,
  leakReportFaults,
  assertionFaults,
  secretFaults,
  sharedSecrets,
];

/** Finds the faults that no single variable shows. */
export const crossFaults = (given: Given): Fault[] => checks.flatMap((check) => check(given));
