import { views } from './views.ts';

/** The links between the views. */
export function Nav({ current }: { readonly current: string }) {
  return (
    <nav aria-label="Console">
      <ul>
        {views.map(({ hash, name }) => (
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
