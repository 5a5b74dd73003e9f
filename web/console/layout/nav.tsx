import type { Views } from './views.ts';

/** The links between the views. */
export function Nav({ views, current }: { readonly views: Views; readonly current: string }) {
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
