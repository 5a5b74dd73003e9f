import { pageLanguage } from '../../shared/page-language.ts';
import { settings } from '../../sign-in/settings.ts';
import { beside } from './beside.ts';

/** The links to the provider's own pages, at the foot of the console. */
export function ProviderLinks() {
  const { providerName, providerLinks = [] } = settings;
  const { text } = pageLanguage();
  if (providerLinks.length === 0) return null;
  return (
    <footer className="provider-links">
      <nav aria-label={providerName ?? text('console.provider')}>
        <ul>
          {providerLinks.map(({ name, url }) => (
            <li key={name}>
              <a href={url} {...beside}>
                {text(`console.link-${name}`)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </footer>
  );
}
