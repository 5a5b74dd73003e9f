import { expect, it } from 'vitest';
import { readTask, usage } from '../../../src/process/command-line.ts';

it.each([
  [[], 'start'],
  [['--check-config'], 'check-config'],
  [['--help'], 'help'],
])('%j is the task %s', (args, task) => {
  expect(readTask(args)).toBe(task);
});

it.each([
  [['--check'], 'There is no argument --check.'],
  [['check-config'], 'There is no argument check-config.'],
  [[''], 'There is no argument .'],
  [['--check-config', '--help'], 'There may be one argument at most.'],
])('%j is refused', (args, fault) => {
  expect(readTask(args)).toEqual({ fault });
});

it('names every argument in its usage', () => {
  for (const option of ['--check-config', '--help']) expect(usage).toContain(`\n  ${option} `);
});
