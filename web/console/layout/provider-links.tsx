import { type ProviderPage, settings } from '../../sign-in/settings.ts';
import { useHost } from '../ui/host.ts';

const names: Readonly<Record<ProviderPage, string>> = {
  documentation: 'Documentation',
  support: 'Support',
  terms: 'Terms',
  privacy: 'Privacy',
};

/** Opens beside the page: what is on the page, and the sign-in, would be gone. */
const beside = { target: '_blank', rel: 'noopener' } as const;

/** The links to the provider's own pages, at the foot of the console. */
export function ProviderLinks() {
  const { providerName, providerLinks = [] } = settings;
  if (providerLinks.length === 0) return null;
  return (
    <footer className="provider-links">
      <nav aria-label={providerName ?? 'Provider'}>
        <ul>
          {providerLinks.map(({ name, url }) => (
            <li key={name}>
              <a href={url} {...beside}>
                {names[name]}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </footer>
  );
}

/** The link to the provider's support, where only the provider can help. */
export function SupportLink() {
  const { settings } = useHost();
  const support = settings.providerLinks?.find(({ name }) => name === 'support');
  if (!support) return null;
  return (
    <p>
      <a href={support.url} {...beside}>
        Contact support
      </a>
    </p>
  );
}
