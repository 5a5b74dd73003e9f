import { pageLanguage } from '../../shared/page-language.ts';
import { useSession } from '../../sign-in/use-session.ts';
import { views } from './views.ts';

/** The links between the views. */
export function Nav({ current }: { readonly current: string }) {
  const { session } = useSession();
  const { text } = pageLanguage();
  const shown = views.filter(
    ({ hash, scopes }) =>
      hash === current || scopes === undefined || scopes.some((scope) => session?.scopes.includes(scope)),
  );
  return (
    <nav aria-label={text('console.title')}>
      <ul>
        {shown.map(({ hash, name }) => (
          <li key={hash}>
            <a href={hash} aria-current={hash === current ? 'page' : undefined}>
              {text(name)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
