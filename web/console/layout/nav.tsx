import { useSession } from '../../sign-in/use-session.ts';
import { views } from './views.ts';

/** The links between the views. */
export function Nav({ current }: { readonly current: string }) {
  const { session } = useSession();
  const shown = views.filter(
    ({ hash, scope }) => hash === current || scope === undefined || session?.scopes.includes(scope),
  );
  return (
    <nav aria-label="Console">
      <ul>
        {shown.map(({ hash, name }) => (
          <li key={hash}>
            <a href={hash} aria-current={hash === current ? 'page' : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
