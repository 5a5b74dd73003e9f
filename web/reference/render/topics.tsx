import type { FunctionComponent } from 'preact';
import { Errors } from './errors.tsx';
import { FirstCalls } from './first-calls.tsx';
import { Entities, Limits, Pages, Retries, SignIn } from './rules.tsx';
import type { TopicProps } from './topic-props.ts';

interface Topic {
  readonly id: string;
  readonly title: string;
  readonly Content: FunctionComponent<TopicProps>;
}

/** What holds for all operations, in the order of the page. */
export const topics: readonly Topic[] = [
  { id: 'signing-in', title: 'Signing in', Content: SignIn },
  { id: 'first-calls', title: 'First calls', Content: FirstCalls },
  { id: 'errors', title: 'Errors', Content: Errors },
  { id: 'limits', title: 'Rate limits', Content: Limits },
  { id: 'retries', title: 'Retries', Content: Retries },
  { id: 'etags', title: 'ETags', Content: Entities },
  { id: 'pages', title: 'Pages of a list', Content: Pages },
];
