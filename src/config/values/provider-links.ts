import { isSecureUrl, listOf } from './kinds.ts';

/** The provider's own pages that people are led to, in the order in which they are shown. */
const linkNames = ['documentation', 'support', 'terms', 'privacy'] as const;

/** A link to a page of the provider's. */
export interface ProviderLink {
  readonly name: (typeof linkNames)[number];
  readonly url: string;
}

// Without its slashes, a browser would take the URL for a path of this service.
const pair = new RegExp(`^(${linkNames.join('|')})=((?:https?://|mailto:)\\S+)$`);

function readPair(text: string): ProviderLink | undefined {
  const [, name, given = ''] = pair.exec(text) ?? [];
  if (name === undefined || !URL.canParse(given)) return undefined;
  const url = new URL(given);
  return isSecureUrl(url) || url.protocol === 'mailto:'
    ? { name: name as ProviderLink['name'], url: url.href }
    : undefined;
}

/** The links, each as `name=URL`, separated by commas. */
export const providerLinks = listOf(
  (text) => readPair(text) !== undefined,
  `must be pairs of a name (${linkNames.join(', ')}) and an https: or mailto: URL, with %2C for a comma: terms=https://example.com/terms`,
)
  .transform((pairs) => pairs.flatMap((text) => readPair(text) ?? []))
  .refine((links) => new Set(links.map(({ name }) => name)).size === links.length, 'must have each name once')
  .transform((links): readonly ProviderLink[] =>
    linkNames.flatMap((wanted) => links.filter(({ name }) => name === wanted)),
  );
