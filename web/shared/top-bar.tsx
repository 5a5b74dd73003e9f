import './font.css';
import './theme.css';
import './top-bar.css';
import { settings } from '../sign-in/settings.ts';
import { SignInMenu } from '../sign-in/sign-in-menu.tsx';
import { pageLanguage } from './page-language.ts';

const names = ['console', 'graphiql', 'reference'] as const;

/** The name of a page. */
export type PageName = (typeof names)[number];

/** Whose service it is: the provider's logo, or their name beside Keyward's. */
function Brand() {
  const { providerName, providerLogo: logo } = settings;
  if (logo) return <img className="logo" {...logo} alt={providerName} />;
  return (
    <>
      <span className="brand">Keyward</span>
      {providerName && <span className="provider">{providerName}</span>}
    </>
  );
}

/** The bar at the top of each page: links to the other pages, and the sign-in menu. */
export const TopBar = ({ current }: { readonly current: PageName }) => (
  <header className="top-bar">
    <Brand />
    <nav aria-label={pageLanguage().text('sign-in.pages')}>
      {names
        .filter((name) => settings.pages[name] !== undefined)
        .map((name) => (
          <a key={name} href={settings.pages[name]} aria-current={name === current ? 'page' : undefined}>
            {pageLanguage().text(`sign-in.page-${name}`)}
          </a>
        ))}
    </nav>
    <SignInMenu forDevelopers={current !== 'console'} />
  </header>
);
