import { closest, distance } from 'fastest-levenshtein';
import { environmentSchema } from './environment.ts';

const ours = Object.keys(environmentSchema.shape);

/** First words that variables of other programs have too: such a variable looks like ours from its second word on. */
export const commonWords = [
  'ADMIN',
  'API',
  'CONSOLE',
  'DATA',
  'HOST',
  'HTTP',
  'LOG',
  'MAX',
  'NODE',
  'PORT',
  'PUBLIC',
  'SESSION',
];

/** How a variable begins that looks like this one of ours; undefined: only a misspelling of it does. */
function beginning(name: string): string | undefined {
  const [first = '', second] = name.split('_');
  if (!commonWords.includes(first)) return `${first}_`;
  return second && `${first}_${second}_`;
}

const beginnings = [...new Set(ours.map(beginning))].filter((each) => each !== undefined);

/** Variables that begin like ours and are set by others. */
const ofOthers = [
  // OpenTelemetry's packages read many more than we document.
  /^OTEL_/,
  // Programs have an API key of their own: API_KEY, API_KEY_FILE.
  /^API_KEY(_|$)/,
  // Platforms name further URLs of a database beside DATABASE_URL.
  /^DATABASE_(.+_)?URL(_.+)?$/,
  // Kubernetes and Docker tell where each service is, by the service's name: AUTH_SERVICE_HOST, AUTH_PORT_80_TCP.
  /_SERVICE_(HOST|PORT(_.+)?)$/,
  /_PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$/,
];

const beginsLikeOurs = (name: string): boolean =>
  beginnings.some((each) => `${name}_`.startsWith(each)) && !ofOthers.some((pattern) => pattern.test(name));

/** How many letters of a name may be wrong: of a short one fewer, since many names are two letters from HOST. */
const slips = (name: string): number => (name.length < 8 ? 1 : 2);

// Lengths first: this is done at each start, for every pair of names.
const isMisspelt = (name: string): boolean =>
  ours.some(
    (each) => Math.abs(each.length - name.length) <= slips(each) && distance(name, each) <= slips(each),
  );

/** Variables that were there before, and what holds in their place. */
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
 * A fault for each variable that was one of ours, or looks like one of ours and is none: it would have no effect, and nobody would notice.
 * @param names of variables that are set; their values are not looked at
 */
export const strayVariables = (names: readonly string[]): string[] =>
  names.flatMap((name) => {
    if (former[name]) return `${name} is a variable no more: ${former[name]}. Take it out`;
    const spelling = name.toUpperCase();
    if (ours.includes(name) || !(beginsLikeOurs(spelling) || isMisspelt(spelling))) return [];
    return `${name} is no variable of Keyward: did you mean ${closest(spelling, ours)}?`;
  });
