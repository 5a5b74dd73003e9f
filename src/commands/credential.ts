import { readCommandLine } from '../config/command-line.ts';
import { scopesOverOthers } from '../config/issuers.ts';
import {
  type ServerCredential,
  serverNameFault,
  serverScopesFault,
  writeServerCredential,
} from '../config/values/server-credentials.ts';
import { createServerSecret, digestOfServerSecret } from '../secrets/server-secret.ts';

const usage = `Usage: npm run --silent credential -- --name NAME --scope SCOPE [--scope SCOPE]

Makes a secret with which one of your servers signs in, and prints two lines: an entry for SERVER_CREDENTIALS, which has
only the digest of the secret, and the secret itself. Nothing stores the secret: give it to the server now.

  --name   the server's name: 1 to 40 of a-z, 0-9 and hyphens, beginning with a letter
  --scope  what it may do: ${scopesOverOthers.join(', ')}
  --help   prints this text
`;

const options = { name: { type: 'string' }, scope: { type: 'string', multiple: true } } as const;

const misuse = 2;

function make(name: string, scopes: readonly string[]): void {
  const fault = serverNameFault(name) ?? serverScopesFault(scopes);
  if (fault !== undefined) {
    process.stderr.write(`${fault[0]?.toUpperCase()}${fault.slice(1)}.\n\n${usage}`);
    process.exitCode = misuse;
    return;
  }
  const secret = createServerSecret();
  const credential = { name, scopes: [...new Set(scopes)], digest: digestOfServerSecret(secret) };
  process.stdout.write(
    `credential=${writeServerCredential(credential as ServerCredential)}\nsecret=${secret}\n`,
  );
}

const given = readCommandLine({ usage, options });
if (given)
  make(
    given.values.name ?? '',
    (given.values.scope ?? []).flatMap((each) => each.split(/[\s,+]+/)),
  );
