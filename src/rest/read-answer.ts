import type { Page } from '../database/page.ts';
import type { BoundRoute } from './bound-routes.ts';

/** What an operation answers, in REST's names. */
export interface Answered {
  /** The value of the root field; of a connection, its nodes. */
  readonly value: unknown;
  /** The page information of a list; undefined for any other answer. */
  readonly pageInfo: Page<unknown>['pageInfo'] | undefined;
}

/** The value that an operation answers. For a connection: its nodes, and the page information. */
export function readAnswer(value: unknown, { isPage }: BoundRoute): Answered {
  if (!isPage) return { value, pageInfo: undefined };
  const { edges, pageInfo } = value as Page<unknown>;
  return { value: edges.map(({ node }) => node), pageInfo };
}
