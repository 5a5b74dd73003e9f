import { type Description, findResponse, type Response } from '../description/openapi.ts';
import type { FoundOperation } from '../description/operations.ts';
import { MarkdownLine } from './markdown.tsx';
import { schemaId } from './reading.ts';
import { sharedName, typeWords } from './type-words.ts';

/** A response of an operation, by its status. */
type ByStatus = readonly [status: string, response: Response];

const isError = ([status]: ByStatus) => status >= '400' || status === 'default';

/** The responses of an operation, in the order of their statuses. */
export const responsesOf = (description: Description, { operation }: FoundOperation): readonly ByStatus[] =>
  Object.entries(operation.responses).map(([status, given]) => [status, findResponse(description, given)]);

const Returned = ({ response: { content } }: { readonly response: Response }) => {
  const schema = Object.values(content ?? {})[0]?.schema;
  if (!schema) return null;
  const shared = sharedName(schema);
  const [before, after] = typeWords(schema).split(shared ?? '\n');
  return (
    <>
      {' '}
      Returns{' '}
      <span class="type">
        {before}
        {shared && <a href={`#${schemaId(shared)}`}>{shared}</a>}
        {after}
      </span>
      .
    </>
  );
};

const Headers = ({ response: { headers } }: { readonly response: Response }) =>
  headers ? (
    <ul class="members">
      {Object.entries(headers).map(([name, { description }]) => (
        <li key={name}>
          <code class="name">{name}</code> <span class="note">header</span>
          <p>
            <MarkdownLine text={description} />
          </p>
        </li>
      ))}
    </ul>
  ) : null;

/** What an error of this operation means, if it is not the same for all operations. */
const OwnError = ({ status, response }: { readonly status: string; readonly response: Response }) => (
  <li>
    <a href={`#error-${status}`}>{status}</a> <MarkdownLine text={response.description} />
  </li>
);

interface ResponsesProps {
  readonly description: Description;
  readonly found: FoundOperation;
}

/** The responses of an operation: those that succeed, and the statuses of the errors. */
export const Responses = ({ description, found }: ResponsesProps) => {
  const all = responsesOf(description, found);
  const errors = all.filter(isError);
  const own = errors.filter(([status]) => !('$ref' in (found.operation.responses[status] ?? {})));
  const shared = errors.filter((each) => !own.includes(each));
  return (
    <>
      <ul class="responses">
        {all
          .filter((each) => !isError(each))
          .map(([status, response]) => (
            <li key={status}>
              <strong>{status}</strong> <MarkdownLine text={response.description} />
              <Returned response={response} />
              <Headers response={response} />
            </li>
          ))}
        {own.map(([status, response]) => (
          <OwnError key={status} status={status} response={response} />
        ))}
      </ul>
      {shared.length > 0 && (
        <p class="errors">
          {own.length > 0 ? 'Other errors: ' : 'Errors: '}
          {shared.map(([status], index) => (
            <>
              {index > 0 && ' '}
              <a key={status} href={`#error-${status}`}>
                {status}
              </a>
            </>
          ))}
        </p>
      )}
    </>
  );
};
