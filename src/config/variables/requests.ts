import { z } from 'zod';
import { isAddressRange } from '../values/addresses.ts';
import { hasValidHost, integer, listOf, onOrOff, seconds } from '../values/kinds.ts';

const wantedRate = 'must be REQUESTS/SECONDS, such as 300/60, or "off"';

/** A rate limit: requests per seconds, such as `600/60`; `off`: no limit. */
const rate = z
  .string()
  .regex(/^([1-9]\d{0,6}\/[1-9]\d{0,4}|off)$/, wantedRate)
  .transform((text) => {
    if (text === 'off') return undefined;
    const [requests = 0, duration = 0] = text.split('/').map(Number);
    return { requests, seconds: duration };
  });

/**
 * Ten requests a second for a minute. A person with a browser never reaches this limit, but a script that makes keys
 * without end does.
 */
const accountRate = '600/60';

const addresses = listOf(
  isAddressRange,
  'must be a list of IP addresses, ranges such as 10.0.0.0/8, or "loopback"',
);

/**
 * The origin of a page in an app or in an extension, as browsers send it: `capacitor://localhost`,
 * `chrome-extension://` and an id. The schemes that are left out have other origins, or none.
 */
const appOrigin =
  /^(?!(?:https?|wss?|ftp|file|data|blob|javascript|about|filesystem):)[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+(?::\d+)?$/i;

/** Whether a text is an origin exactly as browsers send it: the URL parser changes any other. */
const isOrigin = (text: string): boolean => {
  const url = URL.parse(text);
  if (!url) return false;
  if (appOrigin.test(text)) return url.href === text;
  return /^https?:/.test(text) && url.origin === text && hasValidHost(url);
};

const origins = listOf(
  isOrigin,
  'must be a list of origins, each exactly as browsers send it: https://app.example.com, capacitor://localhost ("*" is refused)',
);

/**
 * Fields that say something else to Keyward, to a proxy or to Node, which joins some and keeps one of others. A name
 * with underscores never gets here, so none passes for another spelling of these.
 */
const taken =
  /^(authorization|accept.*|access-control-.*|age|connection|content-.*|cookie|date|etag|expect|expires|forwarded|from|host|idempotency-key|if-.*|keep-alive|last-modified|location|max-forwards|origin|proxy-.*|range|referer|retry-after|sec-.*|server|set-cookie|signature.*|te|trace.*|trailer|transfer-encoding|upgrade|user-agent|via|x-forwarded-.*|x-keyward-.*|x-request-id)$/i;

const keyHeader = z
  .string()
  .regex(
    /^(?=.{1,64}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/i,
    'must be the name of one header: up to 64 letters, digits and single hyphens',
  )
  .refine((name) => !taken.test(name), 'must be a header without another meaning');

/** The variables of proxies, browsers and load. */
export const edgeVariables = {
  TRUST_PROXY: addresses.default([]).meta({
    description:
      "Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted: addresses, ranges or `loopback`, separated by commas. If unset, the address of the proxy counts as the client's",
    example: '10.0.0.0/8,loopback',
  }),
  API_KEY_HEADER: keyHeader.optional().meta({
    description:
      'The only header that carries API keys at `/api/v1/keys/authorize` and `/api/v1/keys/self`. Set it if users of your API have their own bearer tokens, which then [pass through unread](forward-auth.md#an-api-with-bearer-tokens-of-its-own)',
    unset: '`Authorization: Bearer` or `X-API-Key`',
    example: 'X-API-Key',
  }),
  CORS_ORIGINS: origins.default([]).meta({
    description:
      'Origins whose pages may call Keyward from a browser, an app or an extension, separated by commas',
    example: 'https://app.example.com,capacitor://localhost',
  }),
  HSTS_MAX_AGE: seconds(0, 999_999_999).default(31_536_000).meta({
    description:
      'How long browsers must use HTTPS (`Strict-Transport-Security`), in seconds, if `PUBLIC_URL` is HTTPS and has no path. 0 makes them forget it',
    example: '300',
  }),
  RATE_LIMIT_ADDRESS: rate.prefault('off').meta({
    description:
      'Requests per client address: `300/60` is 300 in 60 seconds. At `/keys/authorize`, only invalid API keys count. `off`: no limit',
    unset: '`off`',
    example: '300/60',
  }),
  RATE_LIMIT_ACCOUNT: rate.prefault(accountRate).meta({
    description: 'Requests per person and time. A GraphQL request counts once for each root field',
    unset: `\`${accountRate}\``,
    example: '120/60',
  }),
  RATE_LIMIT_VERIFIER: rate.prefault('off').meta({
    description:
      'Requests per caller with the scope `keys.verify` or `accounts.act`, in place of `RATE_LIMIT_ACCOUNT`. Each verified API key counts',
    unset: '`off`',
    example: '60000/60',
  }),
  RATE_LIMIT_API_KEY: rate.prefault('off').meta({
    description: 'Requests per API key at `/keys/authorize`, `/keys/self` and `/oauth/token`',
    unset: '`off`',
    example: '600/60',
  }),
  RATE_LIMIT_EXEMPT: addresses.default([]).meta({
    description:
      'Addresses and ranges that `RATE_LIMIT_ADDRESS` does not count, separated by commas, such as your own servers',
    example: '10.1.0.0/16',
  }),
  MAX_IN_FLIGHT: integer(1, 100_000).default(200).meta({
    description: 'The most requests in flight in each process. Further requests get 503',
    example: '400',
  }),
};

/** The variables that limit connections and requests. */
export const httpVariables = {
  HTTP_MAX_BODY: integer(1024, 16_777_216).default(65_536).meta({
    description: 'The largest request body, in bytes. A larger one gets 413',
    example: '131072',
  }),
  HTTP_MAX_HEADERS: integer(4096, 1_048_576).default(16_384).meta({
    description: 'The largest request line with headers, in bytes. More gets 431',
    example: '32768',
  }),
  HTTP_MAX_CONNECTIONS: integer(1, 1_000_000).default(10_000).meta({
    description: 'The most connections of each process. Further ones are closed at once',
    example: '2000',
  }),
  HTTP_HEADERS_TIMEOUT: seconds(1, 600).default(10).meta({
    description:
      'How long the headers of a request may take to arrive, in seconds (at most `HTTP_REQUEST_TIMEOUT`). After that: 408',
    example: '5',
  }),
  HTTP_REQUEST_TIMEOUT: seconds(1, 600).default(12).meta({
    description: 'How long a whole request may take to arrive, in seconds. After that: 408',
    example: '30',
  }),
  HTTP_ANSWER_TIMEOUT: seconds(1, 600).default(30).meta({
    description: 'How long a response may take, in seconds. After that: 503',
    example: '60',
  }),
  HTTP_KEEP_ALIVE_TIMEOUT: seconds(1, 600).default(65).meta({
    description:
      'How long an idle connection is kept, in seconds. Behind a proxy, longer than the proxy keeps its own',
    example: '5',
  }),
};

/** The variables that limit GraphQL documents. */
export const graphqlVariables = {
  GRAPHQL_INTROSPECTION: onOrOff.default(true).meta({
    description: '`off` refuses GraphQL introspection',
    example: 'off',
  }),
  GRAPHQL_MAX_COST: integer(1, 100_000_000).default(5000).meta({
    description:
      'The most values that an operation may select. A list counts as its literal `first` or `last`, otherwise as 100; a list without pages, as its maximum length. The usual introspection query counts as 2000, others in proportion to their response',
    example: '10000',
  }),
};
