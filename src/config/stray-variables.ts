import { closest, distance } from 'fastest-levenshtein';
import { environmentSchema } from './environment.ts';

const ours = Object.keys(environmentSchema.shape);

/**
 * First words that variables of other programs have too. A variable with such a first word resembles one of Keyward's
 * only if the second word matches as well.
 */
export const commonWords = [
  'ADMIN',
  'API',
  'CONSOLE',
  'DATA',
  'HOST',
  'HTTP',
  'KEY',
  'LOG',
  'MAX',
  'NODE',
  'PORT',
  'PUBLIC',
  'SESSION',
];

/**
 * The beginning that makes another variable resemble this one of Keyward's; undefined: only a misspelling resembles
 * it.
 */
function beginning(name: string): string | undefined {
  const [first = '', second] = name.split('_');
  if (!commonWords.includes(first)) return `${first}_`;
  return second && `${first}_${second}_`;
}

const beginnings = [...new Set(ours.map(beginning))].filter((each) => each !== undefined);

/** Variables of other programs that begin like Keyward's. */
const ofOthers = [
  // OpenTelemetry's packages read many more variables than Keyward documents.
  /^OTEL_/,
  // Other programs name their own API key so: API_KEY, API_KEY_FILE.
  /^API_KEY(_|$)/,
  // Platforms set further URLs of a database beside DATABASE_URL.
  /^DATABASE_(.+_)?URL(_.+)?$/,
  // Kubernetes and Docker set the address of each service under the service's name: AUTH_SERVICE_HOST,
  // AUTH_PORT_80_TCP.
  /_SERVICE_(HOST|PORT(_.+)?)$/,
  /_PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$/,
];

const beginsLikeOurs = (name: string): boolean =>
  beginnings.some((each) => `${name}_`.startsWith(each)) && !ofOthers.some((pattern) => pattern.test(name));

/**
 * The number of wrong letters that still counts as a misspelling. Short names allow fewer, because many names are two
 * letters away from HOST.
 */
const slips = (name: string): number => (name.length < 8 ? 1 : 2);

// Compares the lengths first, because each start runs this for every pair of names.
const isMisspelt = (name: string): boolean =>
  ours.some(
    (each) => Math.abs(each.length - name.length) <= slips(each) && distance(name, each) <= slips(each),
  );

/** Removed variables, and what applies now instead. */
const former: Readonly<Record<string, string>> = {
  GRAPHQL_DOCUMENTS_FILE: 'clients send their documents',
  GRAPHQL_DOCUMENT_CACHE: 'it is always 16777216',
  GRAPHQL_MAX_ALIASES: 'it is always 10',
  GRAPHQL_MAX_DEPTH: 'it is always 8',
  GRAPHQL_MAX_DIRECTIVES: 'it is always 20',
  GRAPHQL_MAX_TOKENS: 'it is always 1000',
  QUOTA_AFTER_CRASH: 'what a killed process had taken always counts as used',
};

/**
 * Finds a fault in each variable that Keyward no longer reads, and in each unknown variable that resembles one of
 * Keyward's. Otherwise such a variable would have no effect, and the operator would not notice.
 * @param names the names of the set variables; the values do not matter
 */
export const strayVariables = (names: readonly string[]): string[] =>
  names.flatMap((name) => {
    if (former[name]) return `${name} is a variable no more: ${former[name]}. Take it out`;
    const spelling = name.toUpperCase();
    if (ours.includes(name) || !(beginsLikeOurs(spelling) || isMisspelt(spelling))) return [];
    return `${name} is no variable of Keyward: did you mean ${closest(spelling, ours)}?`;
  });
