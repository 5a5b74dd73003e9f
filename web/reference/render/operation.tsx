import type { Description } from '../description/openapi.ts';
import type { FoundOperation } from '../description/operations.ts';
import { writeJson } from '../samples/curl.ts';
import { Access } from './access.tsx';
import { Code } from './code.tsx';
import { Markdown } from './markdown.tsx';
import { Members, Parameters } from './members.tsx';
import { Method } from './method.tsx';
import { Responses, responsesOf } from './responses.tsx';
import { Sample } from './sample.tsx';

interface OperationProps {
  readonly description: Description;
  readonly found: FoundOperation;
}

/** The response that succeeds, as an example. */
const Example = ({ description, found }: OperationProps) => {
  const [status, response] = responsesOf(description, found).find(([each]) => each < '300') ?? [];
  const content = Object.values(response?.content ?? {})[0];
  if (content?.example === undefined) return null;
  return (
    <figure class="example">
      <figcaption>Response {status}</figcaption>
      <Code text={writeJson(content.example)} language="json" />
    </figure>
  );
};

const Input = ({ found: { parameters, body } }: Pick<OperationProps, 'found'>) => (
  <>
    {parameters.length > 0 && (
      <>
        <h4>Parameters</h4>
        <Parameters parameters={parameters} />
      </>
    )}
    {body && (
      <>
        <h4>Body</h4>
        {body.schema.items && <p>An array. Each item has these members:</p>}
        <Members schema={body.schema.items ?? body.schema} />
      </>
    )}
  </>
);

/** An operation: what it does and takes, what it returns, and samples. */
export const OperationSection = ({ description, found }: OperationProps) => {
  const { id, method, path, operation } = found;
  return (
    <article class="operation" id={id}>
      <header>
        <h3>
          <a href={`#${id}`}>{operation.summary}</a>
        </h3>
        <p class="call">
          <Method name={method} /> <code>{path}</code>
        </p>
      </header>
      <div class="about">
        <Markdown text={operation.description} />
        <Access found={found} />
        <Input found={found} />
        <h4>Responses</h4>
        <Responses description={description} found={found} />
      </div>
      <div class="code">
        <Sample found={found} tries />
        <Example description={description} found={found} />
      </div>
    </article>
  );
};
