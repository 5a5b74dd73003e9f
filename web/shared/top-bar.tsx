import './font.css';
import './theme.css';
import './top-bar.css';
import { addressOf } from '../sign-in/address.ts';
import { settings } from '../sign-in/settings.ts';
import { SignInMenu } from '../sign-in/sign-in-menu.tsx';
import { useAccount } from '../sign-in/use-account.ts';
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

/** The links to the other pages, which are for the same account as this one. */
function Pages({ current }: { readonly current: PageName }) {
  useAccount();
  const { text } = pageLanguage();
  return (
    <nav aria-label={text('sign-in.pages')}>
      {names.map((name) => {
        const path = settings.pages[name];
        if (path === undefined) return null;
        return (
          <a key={name} href={addressOf(path)} aria-current={name === current ? 'page' : undefined}>
            {text(`sign-in.page-${name}`)}
          </a>
        );
      })}
    </nav>
  );
}

/** The bar at the top of each page: links to the other pages, and the sign-in menu. */
export const TopBar = ({ current }: { readonly current: PageName }) => (
  <header className="top-bar">
    <Brand />
    <Pages current={current} />
    <SignInMenu forDevelopers={current !== 'console'} />
  </header>
);
