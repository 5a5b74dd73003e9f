import { writeJson } from '../samples/curl.ts';
import { Code } from './code.tsx';
import { MarkdownLine } from './markdown.tsx';
import type { TopicProps } from './topic-props.ts';

/** The status of each shared response. */
const statuses: Readonly<Record<string, number>> = {
  NotModified: 304,
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  Conflict: 409,
  PreconditionFailed: 412,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  UnprocessableContent: 422,
  TooManyRequests: 429,
  InternalServerError: 500,
  ServiceUnavailable: 503,
};

/** What no operation shares with another. */
const others = {
  BadRequest: {
    description:
      'The request contradicts itself, or a parameter of introspection is missing, repeated or not valid.',
  },
};

/** How an error looks, and when each comes. */
export const Errors = ({ description: { components } }: TopicProps) => (
  <>
    <p>
      The body of an error is an <a href="#schema-Error">Error</a> with one sentence, and for invalid input a{' '}
      <a href="#schema-ValidationError">ValidationError</a> with a list. Decide by the status and by{' '}
      <code>type</code>: sentences may change. Every response has an <code>X-Request-Id</code>, by which the
      operator finds the request in the log. Introspection has errors in the form of OAuth, an{' '}
      <a href="#schema-OAuthError">OAuthError</a>.
    </p>
    <Code text={writeJson(exampleOf(components.responses['UnprocessableContent']))} language="json" />
    <dl class="statuses">
      {Object.entries({ ...components.responses, ...others })
        .toSorted(([one], [other]) => (statuses[one] ?? 0) - (statuses[other] ?? 0))
        .map(([name, { description }]) => (
          <div key={name} id={`error-${statuses[name]}`}>
            <dt>{statuses[name]}</dt>
            <dd>
              <MarkdownLine text={description} />
            </dd>
          </div>
        ))}
    </dl>
  </>
);

const exampleOf = (response: TopicProps['description']['components']['responses'][string] | undefined) =>
  Object.values(response?.content ?? {})[0]?.example;
