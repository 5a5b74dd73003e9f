import type { Description, Schema } from '../description/openapi.ts';
import { writeJson } from '../samples/curl.ts';
import { Code } from './code.tsx';
import { MarkdownLine } from './markdown.tsx';
import { Members } from './members.tsx';
import { Only } from './only.tsx';
import { schemaId, schemasIn } from './reading.ts';
import { schemaExamples } from './schema-examples.ts';

/** The members of a schema. Some refer to another schema and add to it. */
const merged = (schema: Schema): Schema =>
  schema.allOf ? { properties: Object.assign({}, ...schema.allOf.map((part) => part.properties)) } : schema;

const Example = ({ value }: { readonly value: unknown }) =>
  value === undefined ? null : (
    <details>
      <summary>Example</summary>
      <Code text={writeJson(value)} language="json" />
    </details>
  );

/** The schemas that several operations share. */
export const Schemas = ({ description }: { readonly description: Description }) => {
  const examples = schemaExamples(description);
  return (
    <section class="group" id="schemas">
      <h2>Schemas</h2>
      <p>
        The objects in responses. Every member is present, unless its description says when it is missing.
      </p>
      {schemasIn(description).map(({ name, schema, condition }) => (
        <Only key={name} when={condition}>
          <article class="schema" id={schemaId(name)}>
            <h3>
              <a href={`#${schemaId(name)}`}>{name}</a>
            </h3>
            <p>
              <MarkdownLine text={schema.description} />
            </p>
            <Members schema={merged(schema)} marksRequired={false} />
            <Example value={schema.examples?.[0] ?? examples.get(name)} />
          </article>
        </Only>
      ))}
    </section>
  );
};
