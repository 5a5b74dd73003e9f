import { useState } from 'preact/compat';
import { type Problem, toProblem } from '../api/problem.ts';
import { useLanguage } from './host.ts';

/**
 * Runs one change at a time and keeps its error. TanStack's mutations would also keep the arguments and the response,
 * which may be secrets here.
 */
export function useAction() {
  const language = useLanguage();
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const run = async (change: () => Promise<void>): Promise<void> => {
    if (pending) return;
    setPending(true);
    setProblem(undefined);
    try {
      await change();
    } catch (error) {
      setProblem(toProblem(language, error));
    } finally {
      setPending(false);
    }
  };
  return { run, pending, problem };
}
