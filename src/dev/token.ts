import { accountAdmin } from '../auth/scopes.ts';
import { readCommandLine } from '../config/command-line.ts';
import { loadConfig } from '../config/load-config.ts';
import { developmentClientId, developmentIssuer } from './issuer.ts';
import { requestToken } from './request-token.ts';

const usage = `Usage: npm run --silent token -- --subject <subject> [--scope "<scope> <scope>"]

Prints an access token from the development identity provider.

  --subject  the person the token is for, for example alice; any name works
  --scope    the token's scopes; default: all that a person needs
  --help     prints this text
`;

const options = { subject: { type: 'string' }, scope: { type: 'string' } } as const;

async function run(subject: string, scope = accountAdmin.join(' ')): Promise<void> {
  try {
    const issuer = developmentIssuer(loadConfig());
    const token = await requestToken({ issuer, clientId: developmentClientId, subject, scope });
    process.stdout.write(`${token}\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

const given = readCommandLine({ usage, options });
if (given?.values.subject) await run(given.values.subject, given.values.scope);
else if (given) {
  process.stderr.write(`The option --subject is required.\n\n${usage}`);
  process.exitCode = 2;
}
