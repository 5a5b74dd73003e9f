/** How the service is started by hand. */
export const usage = `Usage: npm start -- [--check-config | --help]

Starts Keyward. It is configured by the environment; docs/configuration.md has every variable.

  --check-config  checks the configuration, says what is wrong with it or that it is good, and starts nothing
  --help          prints this text
`;

/** What the process is to do. */
export type Task = 'start' | 'check-config' | 'help';

/** The task that the arguments name; a sentence where they name none. */
export function readTask(args: readonly string[]): Task | { readonly fault: string } {
  if (args.length === 0) return 'start';
  if (args.length > 1) return { fault: 'There may be one argument at most.' };
  if (args[0] === '--check-config') return 'check-config';
  return args[0] === '--help' ? 'help' : { fault: `There is no argument ${args[0]}.` };
}
