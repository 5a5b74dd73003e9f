import { isSecureUrl, listOf } from './kinds.ts';

/** The provider's own pages that people are led to, in the order in which they are shown. */
const linkNames = ['documentation', 'support', 'terms', 'privacy'] as const;

/** A link to a page of the provider's. */
export interface ProviderLink {
  readonly name: (typeof linkNames)[number];
  readonly url: string;
}

const pair = new RegExp(`^(${linkNames.join('|')})=(\\S+)$`);

const readPair = (text: string): ProviderLink | undefined => {
  const [, name, url = ''] = pair.exec(text) ?? [];
  if (name === undefined || !URL.canParse(url)) return undefined;
  const { protocol } = new URL(url);
  const mayOpen = isSecureUrl(new URL(url)) || protocol === 'mailto:';
  return mayOpen ? { name: name as ProviderLink['name'], url } : undefined;
};

/** The links, each as `name=URL`, separated by commas. */
export const providerLinks = listOf(
  (text) => readPair(text) !== undefined,
  `must be pairs of a name (${linkNames.join(', ')}) and an https: or mailto: URL: terms=https://example.com/terms`,
)
  .transform((pairs) => pairs.flatMap((text) => readPair(text) ?? []))
  .refine((links) => new Set(links.map(({ name }) => name)).size === links.length, 'must have each name once')
  .transform((links): readonly ProviderLink[] =>
    linkNames.flatMap((wanted) => links.filter(({ name }) => name === wanted)),
  );
