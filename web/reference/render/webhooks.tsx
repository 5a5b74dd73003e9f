import type { Description } from '../description/openapi.ts';
import { writeJson } from '../samples/curl.ts';
import { Code } from './code.tsx';
import { MarkdownLine } from './markdown.tsx';
import { Parameters } from './members.tsx';
import { schemaId, type Webhook, webhooksIn } from './reading.ts';
import { sharedName } from './type-words.ts';

const Event = ({ webhook: { id, event, operation, body } }: { readonly webhook: Webhook }) => {
  const shared = body && sharedName(body.schema);
  return (
    <article class="webhook" id={id}>
      <h3>
        <a href={`#${id}`}>{operation.summary}</a>
      </h3>
      <p class="call">
        <code>{event}</code>
      </p>
      <p>
        <MarkdownLine text={sentenceOf(operation.description)} />
        {shared && (
          <>
            {' '}
            The body is an <a href={`#${schemaId(shared)}`}>{shared}</a>.
          </>
        )}
      </p>
      {body && (
        <details>
          <summary>Example</summary>
          <Code text={writeJson(body.example)} language="json" />
        </details>
      )}
    </article>
  );
};

// What all descriptions repeat stands once, above them.
const repeated = ' Signed as Standard Webhooks defines. Retried for up to three days.';

const sentenceOf = (text = '') => text.replace(repeated, '');

/** The events that the service sends to webhook endpoints. */
export const Webhooks = ({ description }: { readonly description: Description }) => {
  const webhooks = webhooksIn(description);
  return (
    <section class="group" id="webhooks">
      <h2>Webhooks</h2>
      <p>
        {description.tags.find(({ name }) => name === 'Webhooks')?.description} Each is a <code>POST</code>,
        signed as <a href="https://www.standardwebhooks.com">Standard Webhooks</a> defines. Any{' '}
        <code>2xx</code> status accepts it. After any other response, or none within 15 seconds, Keyward sends
        it again, for up to three days. Each request has these headers:
      </p>
      <Parameters parameters={webhooks[0]?.parameters ?? []} />
      {webhooks.map((webhook) => (
        <Event key={webhook.id} webhook={webhook} />
      ))}
    </section>
  );
};
