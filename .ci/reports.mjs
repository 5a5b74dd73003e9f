import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** A report that cannot be counted. */
export class UnusableReport extends Error {}

const readReport = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new UnusableReport(`The test report ${file} is missing or cannot be read.`, { cause });
  }
};

/** The start of what is said of a failure. */
const start = (messages) => messages.join('\n').slice(0, 1500);

/** What Vitest calls a test that was not run. */
const notRun = ['skipped', 'pending'];

const testsOf = (file, suite, mayLeaveOut) => {
  const tests = suite.assertionResults;
  if (!Array.isArray(tests)) throw new UnusableReport(`The test report ${file} is incomplete.`);
  for (const { status, fullName, failureMessages = [] } of tests) {
    if (status !== 'passed' && !(mayLeaveOut && notRun.includes(status)))
      console.log(`${status}: ${fullName}, in ${suite.name}\n${start(failureMessages)}`);
  }
  // A file that broke before or after its tests counts as a failure of its own.
  const broken =
    suite.status !== 'passed' && tests.every(({ status }) => status === 'passed' || notRun.includes(status));
  if (broken) console.log(`failed: outside its tests, in ${suite.name}\n${start([suite.message])}`);
  return [...tests.map((test) => test.status), ...(broken ? ['failed'] : [])];
};

/**
 * Names the tests of one of Vitest's JSON reports that did not pass.
 * @param mayLeaveOut whether tests may have been left out, because they need a program that this machine does not have
 * @returns how many passed, how many did not, how many were left out, and the files of those
 * @throws {UnusableReport} where a number would be a guess
 */
export function countReport(file, mayLeaveOut = false) {
  const report = readReport(file);
  if (!Array.isArray(report?.testResults) || typeof report.success !== 'boolean')
    throw new UnusableReport(`The test report ${file} is incomplete.`);
  const files = report.testResults.map((suite) => ({
    name: basename(suite.name),
    statuses: testsOf(file, suite, mayLeaveOut),
  }));
  const statuses = files.flatMap((each) => each.statuses);
  if (statuses.length === 0) throw new UnusableReport(`The test report ${file} holds no test.`);
  // Skipped, pending and todo tests have shown nothing: only a pass is a pass.
  const passed = statuses.filter((status) => status === 'passed').length;
  const isLeftOut = (status) => mayLeaveOut && notRun.includes(status);
  const left = statuses.filter(isLeftOut).length;
  const leftIn = files.flatMap((each) => (each.statuses.some(isLeftOut) ? each.name : []));
  const failed = statuses.length - passed - left;
  // Vitest saw a fault that belongs to no test, an unhandled error for example.
  return { passed, failed: failed === 0 && !report.success ? 1 : failed, left, leftIn };
}
