import { z } from 'zod';
import { integer, isUrl, seconds, url } from '../values/kinds.ts';

const kinds = ['development', 'test', 'production'] as const;

const isOrigin = ({ pathname, search, hash, username, password }: URL): boolean =>
  pathname === '/' && search + hash + username + password === '';

/** The variables of the process and of its address. */
export const serverVariables = {
  NODE_ENV: z.enum(kinds, 'must be "development", "test" or "production"').default('development').meta({
    description:
      '`development`, `test` or `production`. The last demands an issuer (`AUTH_ISSUER` or `AUTH_ISSUERS`) and secrets: no development identity provider is started',
    example: 'production',
  }),
  HOST: z.string().default('127.0.0.1').meta({
    description:
      "Address to listen on. Without an issuer it must be this machine's own (`127.0.0.1`, `::1`, `localhost`) or every address (`0.0.0.0`, `::`)",
    example: '::1',
  }),
  PORT: integer(0, 65_535).default(4000).meta({
    description: 'TCP port; 0 takes any that is free',
    example: '8080',
  }),
  PUBLIC_URL: url
    .refine(
      isUrl(({ protocol }) => /^https?:$/.test(protocol)),
      { error: 'must be a URL', abort: true },
    )
    .refine(
      isUrl(isOrigin),
      'must be a URL without a path, a query or a user name: Keyward answers at the root of its host',
    )
    .transform((value) => new URL(value).origin)
    .optional()
    .meta({
      description:
        'The URL by which clients reach it. 401 and 403 tell it to them, as `resource_metadata` in `WWW-Authenticate`. Without a path: Keyward answers at the root of its host',
      unset: 'the address that it listens on',
      example: 'https://keys.example.com',
    }),
  WORKERS: integer(1, 256).default(1).meta({
    description:
      'Processes that share the port, on PostgreSQL and with an issuer of your own: one for each core',
    example: '4',
  }),
  SHUTDOWN_DELAY: seconds(0, 300).default(0).meta({
    description:
      'After SIGTERM, seconds for which it still answers, while `/health/ready` is 503 already: as long as a load balancer takes to notice',
    example: '5',
  }),
};
