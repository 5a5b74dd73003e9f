import { z } from 'zod';
import { listOf, onOrOff } from '../values/kinds.ts';
import { locales, usualLocale } from '../values/locales.ts';
import { providerLinks } from '../values/provider-links.ts';

const parameters = listOf(
  (pair) => /^[^=\s]+=\S+$/.test(pair),
  'must be pairs of a name and a value: audience=keyward',
).transform((pairs) =>
  Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  ),
);

/** A text in one line. */
const line = (most: number) =>
  z
    .string()
    .trim()
    .max(most, `must have at most ${most} characters`)
    .regex(/^\P{Cc}*$/u, 'must be one line');

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
  PROVIDER_NAME: line(60).optional().meta({
    description: 'Your name, as people know your API: at most 60 characters. The pages show it',
    unset: 'the pages only say Keyward',
    example: 'Example API',
  }),
  PROVIDER_SENTENCE: line(200).optional().meta({
    description:
      'What the console says to people who are not signed in: one sentence, at most 200 characters',
    unset: 'what the console is for',
    example: 'Manage the API keys of your Example account.',
  }),
  PROVIDER_LOGO: z.string().optional().meta({
    description:
      'File with your logo, which the pages show in place of the word Keyward: SVG, PNG, WebP or JPEG, at most 100 KiB. It is shown [28 pixels high](pages.md#your-name-logo-and-colour), and needs `PROVIDER_NAME`',
    unset: 'the word Keyward',
    example: '/etc/keyward/logo.svg',
  }),
  PROVIDER_COLOR: z
    .string()
    .regex(/^#[\da-f]{6}$/i, 'must be a colour of six hexadecimal digits: #0b5d57')
    .optional()
    .meta({
      description:
        'Your colour, for links and buttons. The pages make it [darker or lighter](pages.md#your-name-logo-and-colour) until text in it can be read',
      unset: 'green',
      example: '#7c3aed',
    }),
  PROVIDER_LINKS: providerLinks.default([]).meta({
    description:
      'Your own pages, for the foot of the console: `documentation`, `support`, `terms` and `privacy`, each with its URL (`https:` or `mailto:`), separated by commas',
    example: 'support=mailto:help@example.com,terms=https://example.com/terms',
  }),
  CONSOLE_LOCALES: locales.default([usualLocale]).meta({
    description:
      'Languages of the console, separated by commas, as tags (BCP 47): each person gets the one that their browser prefers, or else the first. Numbers and dates are written as usual there. English and German have [texts](pages.md#languages-and-your-own-texts)',
    example: 'en-GB,de',
  }),
  PROVIDER_MESSAGES: z.string().optional().meta({
    description:
      'Folder with [your own texts](pages.md#languages-and-your-own-texts) for the console and the elements: a file for each language, such as `de.json`',
    unset: "Keyward's texts",
    example: '/etc/keyward/messages',
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
