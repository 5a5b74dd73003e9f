/**
 * Makes a function that computes its result once for each subject, and then returns the same result.
 * @param compute computes a result; undefined is computed again
 */
export function once<Subject extends object, More extends unknown[], Result>(
  compute: (subject: Subject, ...more: More) => Result,
): (subject: Subject, ...more: More) => Result {
  const known = new WeakMap<Subject, Result>();
  return (subject, ...more) => {
    const found = known.get(subject);
    if (found !== undefined) return found;
    const result = compute(subject, ...more);
    known.set(subject, result);
    return result;
  };
}
