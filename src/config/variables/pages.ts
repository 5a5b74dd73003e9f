import { z } from 'zod';
import { onOrOff, split } from '../values/kinds.ts';

const parameters = z
  .string()
  .transform(split)
  .refine(
    (pairs) => pairs.every((pair) => /^[^=\s]+=\S+$/.test(pair)),
    'must be pairs of a name and a value: audience=keyward',
  )
  .transform((pairs) =>
    Object.fromEntries(
      pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    ),
  );

/** The variables of the pages for a browser, and of their sign-in. */
export const pageVariables = {
  CONSOLE: onOrOff.default(true).meta({
    description: '`off` removes the page at `/console`',
    example: 'off',
  }),
  GRAPHIQL: onOrOff.default(true).meta({
    description: '`off` removes the page at `/graphql`',
    example: 'off',
  }),
  API_REFERENCE: onOrOff.default(true).meta({
    description: '`off` removes the page at `/api/v1/docs`',
    example: 'off',
  }),
  AUTH_BROWSER_CLIENT_ID: z.string().optional().meta({
    description:
      'Public client that signs people in on the pages, at `AUTH_ISSUER` or the first of `AUTH_ISSUERS`. Its redirect URI is `<PUBLIC_URL>/sign-in/callback`',
    unset: 'people paste an access token',
    example: 'keyward-pages',
  }),
  AUTH_BROWSER_PARAMETERS: parameters.default({}).meta({
    description:
      'Extra parameters of a sign-in, separated by commas: `audience=…` for Auth0, `resource=…` (RFC 8707) for others',
    example: 'audience=keyward',
  }),
};
