import { z } from 'zod';
import { integer, isUrl, seconds, url } from '../values/kinds.ts';
import { isPublicPath, ownPaths, withoutSlash } from '../values/public-path.ts';

const kinds = ['development', 'test', 'production'] as const;

const isBare = ({ search, hash, username, password }: URL): boolean =>
  search + hash + username + password === '';

/** The variables of the process and of its address. */
export const serverVariables = {
  NODE_ENV: z.enum(kinds, 'must be "development", "test" or "production"').default('development').meta({
    description:
      '`development`, `test` or `production`. In production, an issuer (`AUTH_ISSUER` or `AUTH_ISSUERS`) and secrets are required, and no development identity provider starts',
    example: 'production',
  }),
  HOST: z.string().default('127.0.0.1').meta({
    description:
      'Address to listen on. Without an issuer, it must be `127.0.0.1`, `::1`, `localhost`, `0.0.0.0` or `::`',
    example: '::1',
  }),
  PORT: integer(0, 65_535).default(4000).meta({
    description: 'TCP port. 0 picks a free one',
    example: '8080',
  }),
  PUBLIC_URL: url
    .refine(
      isUrl(({ protocol }) => /^https?:$/.test(protocol)),
      { error: 'must be a URL', abort: true },
    )
    .refine(isUrl(isBare), 'must be a URL without query, fragment and user name')
    .refine(
      isUrl(({ pathname }) => isPublicPath(pathname)),
      `must have a path of letters, digits, "-", "_", "." and "~" alone, and none like Keyward's own: ${ownPaths.join(', ')}`,
    )
    .transform((value) => {
      const { origin, pathname } = new URL(value);
      return withoutSlash(origin + pathname);
    })
    .optional()
    .meta({
      description:
        'URL by which clients reach Keyward, with a path if it is [under a path of a host](edge.md#under-a-path-of-a-host). Responses 401 and 403 contain it, as `resource_metadata` in `WWW-Authenticate`',
      unset: 'the address it listens on',
      example: 'https://keys.example.com',
    }),
  WORKERS: integer(1, 256).default(1).meta({
    description:
      'Number of processes that share the port, for example one per core. Needs PostgreSQL and your own issuer',
    example: '4',
  }),
  SHUTDOWN_DELAY: seconds(0, 300).default(0).meta({
    description:
      'Seconds to keep answering after SIGTERM, with `/health/ready` already 503. Set it to what your load balancer needs to notice',
    example: '5',
  }),
};
