import { type FoundOperation, operationsIn } from '../description/operations.ts';
import { MarkdownLine } from './markdown.tsx';
import { Sample } from './sample.tsx';
import type { TopicProps } from './topic-props.ts';

interface Call {
  readonly id: string;
  readonly text: string;
  /** The members of the example that are enough to begin with. The key then passes the calls that follow. */
  readonly members?: readonly string[];
}

/** What most readers come for. */
const calls: readonly Call[] = [
  {
    id: 'createApiKey',
    text: 'A person creates an API key. Only this response has its secret: keep it as `API_KEY`.',
    members: ['name', 'permissions'],
  },
  {
    id: 'verifyApiKey',
    text: 'Your server verifies a key that it received. Its own access token needs the scope `keys.verify`.',
  },
  {
    id: 'authorizeApiKey',
    text: 'Or your proxy asks whether each request may pass. It sends only the key, and any status but 200 means no.',
  },
];

const shorten = (found: FoundOperation, members: readonly string[] | undefined): FoundOperation => {
  if (!(found.body && members)) return found;
  const kept = Object.entries(found.body.example as object).filter(([name]) => members.includes(name));
  return { ...found, body: { ...found.body, example: Object.fromEntries(kept) } };
};

/** The three calls to begin with. */
export const FirstCalls = ({ description }: TopicProps) => (
  <ol class="first-calls">
    {calls.map(({ id, text, members }) => {
      const found = operationsIn(description).find((each) => each.id === id);
      return (
        found && (
          <li key={id}>
            <p>
              <a href={`#${id}`}>{found.operation.summary}</a>. <MarkdownLine text={text} />
            </p>
            <Sample found={shorten(found, members)} tries={false} />
          </li>
        )
      );
    })}
  </ol>
);
