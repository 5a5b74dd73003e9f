import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

/** What a command may be given, beside `--help`. */
export interface CommandLine<Known extends Options> {
  /** What `--help` prints: how the command is called, what it does, and what each option means. */
  readonly usage: string;
  readonly options?: Known;
  /** How many words it takes that are no options; none unless told otherwise. */
  readonly words?: number;
}

/** The exit code of a command that was called in a way that it does not know, as that of a shell's own. */
const misuse = 2;

/**
 * Reads the command line of this process. `--help` is answered here, and so is what the command does not know.
 * @returns undefined where there is nothing more to do: the text is printed and the exit code set
 */
export function readCommandLine<const Known extends Options>({
  usage,
  options = {} as Known,
  words = 0,
}: CommandLine<Known>) {
  try {
    const known = { ...options, help: { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ options: known, allowPositionals: true });
    if ((values as { help?: boolean }).help) {
      process.stdout.write(usage);
      return;
    }
    if (positionals.length > words) throw new Error(`There is no argument ${positionals[words]}.`);
    if (positionals.length < words || positionals.includes('')) throw new Error('An argument is missing.');
    return { values, words: positionals };
  } catch (error) {
    // What it advises on words that begin with a hyphen is for no command here.
    const [fault] = (error as Error).message.split(/(?<=\.) /);
    process.stderr.write(`${fault}\n\n${usage}`);
    process.exitCode = misuse;
  }
}
