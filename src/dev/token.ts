import { accountAdmin } from '../auth/scopes.ts';
import { readCommandLine } from '../config/command-line.ts';
import { loadConfig } from '../config/load-config.ts';
import { developmentClientId, developmentIssuer } from './issuer.ts';
import { organizationOptions, readOrganizations } from './organization-options.ts';
import type { OrganizationRoles } from './organization-roles.ts';
import { requestToken } from './request-token.ts';

const usage = `Usage: npm run --silent token -- --subject <subject> [--scope "<scope> <scope>"]
         [--organization <id> [--role <role>]]...

Prints an access token from the development identity provider.

  --subject       the person the token is for, for example alice; any name works
  --scope         the token's scopes; default: all that a person needs
  --organization  an organisation that the person belongs to, for example acme; any id works. May be repeated
  --role          the person's role in the organisation before it, for example admin; default: member
  --help          prints this text
`;

const options = { subject: { type: 'string' }, scope: { type: 'string' }, ...organizationOptions } as const;

interface Wanted {
  readonly subject: string;
  readonly scope: string | undefined;
  readonly organizations: OrganizationRoles;
}

async function run({ subject, scope = accountAdmin.join(' '), organizations }: Wanted): Promise<void> {
  try {
    const issuer = developmentIssuer(loadConfig());
    const token = await requestToken({
      issuer,
      clientId: developmentClientId,
      subject,
      scope,
      organizations,
    });
    process.stdout.write(`${token}\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

/** Reads what the token must have. If the options do not fit together, prints a sentence and sets the exit code. */
function readWanted(): Wanted | undefined {
  const given = readCommandLine({ usage, options });
  if (given === undefined) return;
  try {
    const { subject, scope } = given.values;
    if (!subject) throw new Error('The option --subject is required.');
    return { subject, scope, organizations: readOrganizations(process.argv.slice(2)) };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}`);
    process.exitCode = 2;
  }
}

const wanted = readWanted();
if (wanted) await run(wanted);
