import type { Problem } from '../api/problem.ts';
import { ProblemNote } from './problem-note.tsx';

interface FormProblemProps {
  readonly problem: Problem | undefined;
  /** The arguments whose fields show their own errors. */
  readonly shown?: readonly string[];
}

/** Says what went wrong with a form, unless one of its fields does. */
export function FormProblem({ problem, shown = [] }: FormProblemProps) {
  const saidElsewhere = problem?.kind === 'invalid' && shown.some((name) => problem.issueOf(name));
  return <ProblemNote problem={saidElsewhere ? undefined : problem} />;
}
