import type { Problem } from '../api/problem.ts';
import { ProblemNote } from './problem-note.tsx';

interface FormProblemProps {
  readonly problem: Problem | undefined;
  /** The arguments that have a field of their own, which shows what is wrong with them. */
  readonly shown?: readonly string[];
}

/** Says what went wrong with a form, where no field of it does. */
export function FormProblem({ problem, shown = [] }: FormProblemProps) {
  const saidElsewhere = problem?.kind === 'invalid' && shown.some((name) => problem.issueOf(name));
  return <ProblemNote problem={saidElsewhere ? undefined : problem} />;
}
