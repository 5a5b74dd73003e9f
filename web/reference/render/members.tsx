import type { Parameter, Schema } from '../description/openapi.ts';
import { MarkdownLine } from './markdown.tsx';
import { schemaId } from './reading.ts';
import { limitWords, partsOf, sharedName, typeWords } from './type-words.ts';

const isShown = ({ readOnly }: Schema) => !readOnly;

interface MemberProps {
  readonly name: string;
  readonly schema: Schema;
  readonly description: string | undefined;
  /** `Required`, or where a parameter is. */
  readonly notes: readonly string[];
}

/** The members of a value that has its schema in place, folded away. */
function Inner({ schema }: { readonly schema: Schema }) {
  const within = partsOf(schema).find((part) => part.properties) ?? schema.items;
  if (!within?.properties) return null;
  return (
    <details>
      <summary>{schema.items ? 'Members of each item' : 'Members'}</summary>
      <Members schema={within} />
    </details>
  );
}

const Type = ({ schema }: { readonly schema: Schema }) => {
  const shared = sharedName(schema);
  const words = typeWords(schema);
  if (!shared) return <span class="type">{words}</span>;
  const [before, after] = words.split(shared);
  return (
    <span class="type">
      {before}
      <a href={`#${schemaId(shared)}`}>{shared}</a>
      {after}
    </span>
  );
};

/** A name with its type, whether it must be there, its limits and its meaning. */
const Member = ({ name, schema, description, notes }: MemberProps) => {
  const values = schema.enum ?? schema.items?.enum;
  return (
    <li>
      <code class="name">{name}</code> <Type schema={schema} />
      {notes.map((note) => (
        <span key={note} class={note === 'required' ? 'required' : 'note'}>
          {' '}
          {note}
        </span>
      ))}
      {limitWords(schema)
        .filter((limit) => !description?.includes(limit))
        .map((limit) => (
          <span key={limit} class="note">
            {' '}
            {limit}
          </span>
        ))}
      {description && (
        <p>
          <MarkdownLine text={description} />
        </p>
      )}
      {values && (
        <p class="values">
          One of{' '}
          {values.map((value, index) => (
            <>
              {index > 0 && ', '}
              <code>{`${value}`}</code>
            </>
          ))}
          .
        </p>
      )}
      <Inner schema={schema} />
    </li>
  );
};

interface MembersProps {
  readonly schema: Schema;
  /** Whether a required member is marked. A response has all members, and says nothing about each. */
  readonly marksRequired?: boolean;
}

/** The members of an object. */
export const Members = ({ schema, marksRequired = true }: MembersProps) => (
  <ul class="members">
    {Object.entries(schema.properties ?? {})
      .filter(([, member]) => isShown(member))
      .map(([name, member]) => (
        <Member
          key={name}
          name={name}
          schema={member}
          description={member.description ?? partsOf(member).find((part) => part.description)?.description}
          notes={marksRequired && schema.required?.includes(name) ? ['required'] : []}
        />
      ))}
  </ul>
);

/** The parameters of an operation. */
export const Parameters = ({ parameters }: { readonly parameters: readonly Parameter[] }) => (
  <ul class="members">
    {parameters.map(({ name, in: place, required, schema, description }) => (
      <Member
        key={name}
        name={name}
        schema={schema}
        description={description}
        notes={[place, ...(required ? ['required'] : [])]}
      />
    ))}
  </ul>
);
