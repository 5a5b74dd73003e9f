import { render } from 'preact-render-to-string';
import type { Description } from '../description/openapi.ts';
import { Contents } from './contents.tsx';
import { Markdown } from './markdown.tsx';
import { Only, toComments } from './only.tsx';
import { OperationSection } from './operation.tsx';
import { origin } from './placeholders.ts';
import { conditionOf, groupsIn } from './reading.ts';
import { Schemas } from './schemas.tsx';
import { topics } from './topics.tsx';
import { Webhooks } from './webhooks.tsx';

interface ReferenceProps {
  readonly description: Description;
}

const Introduction = ({ description }: ReferenceProps) => (
  <section class="introduction">
    <h1>API reference</h1>
    <Markdown text={description.info.description} />
    <p>
      Start here: <a href="#createApiKey">create an API key</a>, <a href="#verifyApiKey">verify one</a> on
      your server, or <a href="#authorizeApiKey">ask for each request</a> at your proxy.
    </p>
    <p>
      All paths begin at <code>{origin}</code>. Bodies and responses are JSON.
    </p>
    <p>
      The description for generators: <a href="/api/v1/openapi.json">openapi.json</a> (OpenAPI 3.1), with the
      limits of this service, and <a href="/api/v1/openapi-3.0.json">openapi-3.0.json</a>. This page shows the
      default limits.
    </p>
  </section>
);

const Topics = ({ description }: ReferenceProps) => (
  <>
    {topics.map(({ id, title, Content }) => (
      <section key={id} class="topic" id={id}>
        <h2>
          <a href={`#${id}`}>{title}</a>
        </h2>
        <Content description={description} />
      </section>
    ))}
  </>
);

const Groups = ({ description }: ReferenceProps) => (
  <>
    {groupsIn(description).map(({ id, name, description: about, operations, condition }) => (
      <Only key={id} when={condition}>
        <section class="group" id={id}>
          <h2>{name}</h2>
          <Markdown text={about} />
          {operations.map((found) => (
            <Only key={found.id} when={condition ? undefined : conditionOf(found)}>
              <OperationSection description={description} found={found} />
            </Only>
          ))}
        </section>
      </Only>
    ))}
  </>
);

const Reference = ({ description }: ReferenceProps) => (
  <div class="reference">
    <Contents description={description} />
    <main id="content" tabIndex={-1}>
      <Introduction description={description} />
      <Topics description={description} />
      <Groups description={description} />
      <Schemas description={description} />
      <Webhooks description={description} />
    </main>
  </div>
);

/** The content of the page, with comments around the parts that a service may lack. */
export const renderReference = (description: Description): string =>
  toComments(render(<Reference description={description} />));
