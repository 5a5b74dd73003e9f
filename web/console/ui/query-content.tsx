import type { UseQueryResult } from '@tanstack/preact-query';
import type { ReactNode } from 'preact/compat';
import { toProblem } from '../api/problem.ts';
import { Loading } from './loading.tsx';
import { ProblemNote } from './problem-note.tsx';

interface QueryContentProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  /** What is fetched, for a screen reader. */
  readonly what: string;
  readonly children: (data: Data) => ReactNode;
}

/** What a query answered; until then that it is being fetched, and what went wrong above what is still there. */
export function QueryContent<Data>({ query, what, children }: QueryContentProps<Data>) {
  const { data, error, refetch } = query;
  const problem = error === null ? undefined : toProblem(error);
  // The banner on top of the page says so for all of it.
  const saidAbove = problem?.kind === 'unauthenticated';
  if (data === undefined && !problem) return <Loading what={what} />;
  return (
    <>
      <ProblemNote problem={saidAbove ? undefined : problem} onRetry={() => void refetch()} />
      {data !== undefined && children(data)}
    </>
  );
}
