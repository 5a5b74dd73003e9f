import './theme.css';
import './top-bar.css';
import { settings } from '../sign-in/settings.ts';
import { SignInMenu } from '../sign-in/sign-in-menu.tsx';

const titles = { console: 'Console', graphiql: 'GraphiQL', reference: 'API reference' } as const;

/** The name of a page. */
export type PageName = keyof typeof titles;

/** The bar at the top of each page: links to the other pages, and the sign-in menu. */
export const TopBar = ({ current }: { readonly current: PageName }) => (
  <header className="top-bar">
    <span className="brand">Keyward</span>
    {settings.providerName && <span className="provider">{settings.providerName}</span>}
    <nav aria-label="Pages">
      {(Object.keys(titles) as PageName[])
        .filter((name) => settings.pages[name] !== undefined)
        .map((name) => (
          <a key={name} href={settings.pages[name]} aria-current={name === current ? 'page' : undefined}>
            {titles[name]}
          </a>
        ))}
    </nav>
    <SignInMenu forDevelopers={current !== 'console'} />
  </header>
);
