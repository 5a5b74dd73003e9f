import { z } from 'zod';
import { encryptionKeySize, pepperSize, secretFile, secretList } from './secrets/secret-list.ts';

/** The signature algorithms (RFC 7518) that may be trusted: all asymmetric. */
const signatureAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
] as const;

/** The name of a signature algorithm, as in a token's `alg`. */
export type SignatureAlgorithm = (typeof signatureAlgorithms)[number];

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether a URL may be trusted with keys: HTTPS, or plain HTTP that does not leave this machine. */
export const isSecureUrl = (url: URL): boolean =>
  url.protocol === 'https:' || (url.protocol === 'http:' && loopback.test(url.hostname));

const split = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`);

const onOrOff = z.enum(['on', 'off'], 'must be "on" or "off"').transform((value) => value === 'on');

const url = z
  .string('must be a URL, such as https://id.example.com')
  .refine((value) => URL.canParse(value), 'must be a URL, such as https://id.example.com');

const secureUrl = url.refine(
  (value) => !URL.canParse(value) || isSecureUrl(new URL(value)),
  'must begin with https:// (plain http:// is for this machine only)',
);

/** Names in a list, or one text with commas between them. */
const names = z
  .union(
    [
      z.string().transform(split),
      z.array(z.string()).transform((list) => list.filter((name) => name.trim() !== '')),
    ],
    'must be a text or a list of texts',
  )
  .default([]);

const algorithms = z
  .string()
  .transform(split)
  .refine((list) => list.length > 0, 'must name at least one algorithm')
  .refine(
    (list): list is SignatureAlgorithm[] =>
      list.every((name) => z.enum(signatureAlgorithms).safeParse(name).success),
    `may only name ${signatureAlgorithms.join(', ')}`,
  );

const scopeAliases = z
  .string('must be a text')
  .transform(split)
  .refine(
    (pairs) => pairs.every((pair) => /^[^=\s]+=[^=\s]+$/.test(pair)),
    "must be pairs of the provider's name and ours: provider.name=our.name",
  )
  .transform((pairs) => {
    const named = pairs.map((pair) => pair.split('=') as [string, string]);
    const ours = (theirs: string) => named.filter(([name]) => name === theirs).map(([, scope]) => scope);
    return new Map(named.map(([theirs]) => [theirs, ours(theirs)]));
  });

/** One member of AUTH_ISSUERS. */
const issuerSchema = z
  .strictObject(
    {
      issuer: secureUrl,
      jwksUri: secureUrl.optional(),
      audience: names,
      clientId: names,
      scopeAliases: scopeAliases.default(new Map()),
    },
    {
      error: (issue) =>
        issue.code === 'unrecognized_keys' ? `has an unknown member ${issue.keys}` : 'must be an object',
    },
  )
  .refine(
    ({ audience, clientId }) => audience.length + clientId.length > 0,
    'needs an audience or a clientId: else a token for any other service would do',
  );

const issuers = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue('must be a JSON list of issuers');
      return z.NEVER;
    }
  })
  .pipe(z.array(issuerSchema, 'must be a JSON list of issuers').min(1, 'must name at least one issuer'))
  .refine(
    (list) => new Set(list.map(({ issuer }) => issuer)).size === list.length,
    'must name each issuer once',
  );

const databaseUrl = z
  .string()
  .refine(
    (text) => /^sqlite:.+$/.test(text) || (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text)),
    'must be sqlite:<path of a file>, sqlite::memory: or postgres://user:password@host/database',
  );

/** Every variable of the environment that is read: what it must look like, and what it is where it is not set. */
export const environmentSchema = z.object({
  NODE_ENV: z.string().default('development'),
  HOST: z.string().default('127.0.0.1'),
  PORT: integer(0, 65_535).default(4000),
  PUBLIC_URL: url
    .refine(
      (value) => !URL.canParse(value) || /^https?:$/.test(new URL(value).protocol),
      'must be a URL, such as https://id.example.com',
    )
    .transform((value) => new URL(value).origin)
    .optional(),
  WORKERS: integer(1, 256).default(1),
  DATA_DIR: z.string().default('data'),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_MIGRATE: z.enum(['auto', 'check'], 'must be "auto" or "check"').optional(),
  DATABASE_POOL_SIZE: integer(1, 1000).default(10),
  DATABASE_CONNECT_TIMEOUT: integer(1, 600).default(3),
  DATABASE_STATEMENT_TIMEOUT: integer(1, 600).default(10),
  DATABASE_IDLE_TRANSACTION_TIMEOUT: integer(1, 600).default(10),
  AUTH_ISSUER: secureUrl.optional(),
  AUTH_JWKS_URI: secureUrl.optional(),
  AUTH_AUDIENCE: names,
  AUTH_CLIENT_ID: names,
  AUTH_ALGORITHMS: algorithms.default([...signatureAlgorithms]),
  AUTH_SCOPE_ALIASES: scopeAliases.default(new Map()),
  AUTH_ISSUERS: issuers.optional(),
  KEY_PEPPERS: secretList(pepperSize).optional(),
  KEY_PEPPERS_FILE: secretFile(pepperSize).optional(),
  KEY_ENCRYPTION_KEYS: secretList(encryptionKeySize).optional(),
  KEY_ENCRYPTION_KEYS_FILE: secretFile(encryptionKeySize).optional(),
  SEAL_API_KEYS: onOrOff.default(false),
  SESSION_DURATION_MIN: integer(1, 999_999_999).default(60),
  SESSION_DURATION_MAX: integer(1, 999_999_999).default(86_400),
  GRAPHQL_INTROSPECTION: onOrOff.default(true),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be fatal, error, warn, info, debug, trace or silent',
    })
    .default('info'),
});

/** The environment, read. */
export type Environment = z.infer<typeof environmentSchema>;
