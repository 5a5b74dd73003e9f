import type { Description } from '../description/openapi.ts';
import { Method } from './method.tsx';
import { Only } from './only.tsx';
import { conditionOf, groupsIn, schemaId, schemasIn, webhooksIn } from './reading.ts';
import { topics } from './topics.tsx';

const Link = ({ id, children }: { readonly id: string; readonly children: preact.ComponentChildren }) => (
  <li>
    <a href={`#${id}`}>{children}</a>
  </li>
);

const Groups = ({ description }: { readonly description: Description }) => (
  <>
    {groupsIn(description).map(({ id, name, operations, condition }) => (
      <Only key={id} when={condition}>
        <li>
          <a href={`#${id}`}>{name}</a>
          <ul>
            {operations.map((found) => (
              <Only key={found.id} when={condition ? undefined : conditionOf(found)}>
                <Link id={found.id}>
                  <Method name={found.method} /> {found.operation.summary}
                </Link>
              </Only>
            ))}
          </ul>
        </li>
      </Only>
    ))}
  </>
);

/** The table of contents, with a search. On a narrow page, the table is folded away. */
export const Contents = ({ description }: { readonly description: Description }) => (
  <nav class="contents" aria-label="Contents">
    <search>
      <input
        id="search"
        type="search"
        aria-label="Search the reference"
        placeholder="Search"
        aria-keyshortcuts="/"
        autocomplete="off"
        spellcheck={false}
      />
      <p id="found" role="status" />
    </search>
    <details>
      <summary>Contents</summary>
      <ul>
        {topics.map(({ id, title }) => (
          <Link key={id} id={id}>
            {title}
          </Link>
        ))}
        <Groups description={description} />
        <li>
          <a href="#schemas">Schemas</a>
          <ul>
            {schemasIn(description).map(({ name, condition }) => (
              <Only key={name} when={condition}>
                <Link id={schemaId(name)}>{name}</Link>
              </Only>
            ))}
          </ul>
        </li>
        <li>
          <a href="#webhooks">Webhooks</a>
          <ul>
            {webhooksIn(description).map(({ id, event }) => (
              <Link key={id} id={id}>
                {event}
              </Link>
            ))}
          </ul>
        </li>
      </ul>
    </details>
  </nav>
);
