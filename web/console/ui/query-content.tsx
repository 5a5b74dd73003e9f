import type { UseQueryResult } from '@tanstack/preact-query';
import type { ReactNode } from 'preact/compat';
import { toProblem } from '../api/problem.ts';
import { useHost } from './host.ts';
import { Loading } from './loading.tsx';
import { ProblemNote } from './problem-note.tsx';

interface QueryContentProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  /** What is being fetched, for a screen reader. */
  readonly what: string;
  readonly children: (data: Data) => ReactNode;
}

/** The result of a query, or a placeholder until it arrives. An error is shown above what was fetched before. */
export function QueryContent<Data>({ query, what, children }: QueryContentProps<Data>) {
  const { SignIn, language } = useHost();
  const { data, error, refetch } = query;
  const problem = error === null ? undefined : toProblem(language, error);
  // The banner at the top says so for the whole page.
  const saidAbove = SignIn !== undefined && problem?.kind === 'unauthenticated';
  if (data === undefined && !problem) return <Loading what={what} />;
  return (
    <>
      <ProblemNote problem={saidAbove ? undefined : problem} onRetry={() => void refetch()} />
      {data !== undefined && children(data)}
    </>
  );
}
