import type { Description } from '../description/openapi.ts';

/** What a topic may show of the description. */
export interface TopicProps {
  readonly description: Description;
}
