import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

/** The arguments that a command accepts, beside `--help`. */
export interface CommandLine<Known extends Options> {
  /** The text that `--help` prints: the command's call, its purpose, and the meaning of each option. */
  readonly usage: string;
  readonly options?: Known;
  /** The number of words that the command takes beside its options; 0 if missing. */
  readonly words?: number;
}

/** The exit code of a command with unknown or missing arguments; shells use the same. */
const misuse = 2;

/**
 * Reads the command line of this process. If the arguments ask for `--help` or are wrong, this function prints the
 * text and sets the exit code.
 * @returns undefined if the command has nothing more to do
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
    // Keep only the first sentence: Node's advice on words that begin with a hyphen fits no command here.
    const [fault] = (error as Error).message.split(/(?<=\.) /);
    process.stderr.write(`${fault}\n\n${usage}`);
    process.exitCode = misuse;
  }
}
