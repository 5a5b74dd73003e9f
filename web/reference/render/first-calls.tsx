import { operationsIn } from '../description/operations.ts';
import { Sample } from './sample.tsx';
import type { TopicProps } from './topic-props.ts';

/** What most readers come for. */
const calls = [
  {
    id: 'createApiKey',
    text: 'A person creates an API key. The response is the only one that has its secret.',
  },
  { id: 'verifyApiKey', text: 'Your server verifies a key, with a token that has the scope keys.verify.' },
  {
    id: 'authorizeApiKey',
    text: 'Or your proxy asks for each request whether it may pass. It sends only the key, and any status but 200 means no.',
  },
];

/** The three calls to begin with. */
export const FirstCalls = ({ description }: TopicProps) => (
  <ol class="first-calls">
    {calls.map(({ id, text }) => {
      const found = operationsIn(description).find((each) => each.id === id);
      return (
        found && (
          <li key={id}>
            <p>
              <a href={`#${id}`}>{found.operation.summary}</a>. {text}
            </p>
            <Sample found={found} tries={false} />
          </li>
        )
      );
    })}
  </ol>
);
