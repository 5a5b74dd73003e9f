import { type ProviderPage, settings } from '../../sign-in/settings.ts';
import { beside } from './beside.ts';

const names: Readonly<Record<ProviderPage, string>> = {
  documentation: 'Documentation',
  support: 'Support',
  terms: 'Terms',
  privacy: 'Privacy',
};

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
