import { parseArgs } from 'node:util';
import { accountAdmin } from '../auth/scopes.ts';
import { loadConfig } from '../config/load-config.ts';
import { developmentClientId, developmentIssuer } from './issuer.ts';
import { requestToken } from './request-token.ts';

const usage = `Usage: npm run --silent token -- --subject <subject> [--scope "<scope> <scope>"]

Prints an access token of the development identity provider.

  --subject  whose token it is, such as alice; any subject will do
  --scope    the scopes that it carries; all that a person needs where this is left out
  --help     prints this text
`;

const options = {
  subject: { type: 'string' },
  scope: { type: 'string' },
  help: { type: 'boolean' },
} as const;

const message = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The command's options; a sentence where they cannot be used. */
const readOptions = (args: string[]) => {
  try {
    const { subject, scope, help } = parseArgs({ args, options }).values;
    if (help) return { help };
    return subject ? { subject, scope } : 'The option --subject is required.';
  } catch (error) {
    return message(error);
  }
};

/** Runs the command; out comes its exit code. */
async function run(args: string[]): Promise<number> {
  const given = readOptions(args);
  if (typeof given === 'string') {
    process.stderr.write(`${given}\n\n${usage}`);
    return 2;
  }
  if (given.help) {
    process.stdout.write(usage);
    return 0;
  }
  try {
    const issuer = developmentIssuer(loadConfig());
    const { subject, scope } = given;
    process.stdout.write(
      `${await requestToken({ issuer, clientId: developmentClientId, subject, scope: scope ?? accountAdmin.join(' ') })}\n`,
    );
    return 0;
  } catch (error) {
    process.stderr.write(`${message(error)}\n`);
    return 1;
  }
}

process.exitCode = await run(process.argv.slice(2));
