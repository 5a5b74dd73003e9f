// Names the tests of Vitest's JSON reports that did not pass, and sums all up in the last line. Where a number would be a guess, it prints a sentence instead.
import { countReport, UnusableReport } from './reports.mjs';

try {
  const files = process.argv.slice(2);
  if (files.length === 0) throw new UnusableReport('No test report was named.');
  const counts = files.map(countReport);
  const passed = counts.reduce((sum, one) => sum + one.passed, 0);
  const failed = counts.reduce((sum, one) => sum + one.failed, 0);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof UnusableReport)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
