import { createPublicKey } from 'node:crypto';
import { readCommandLine } from '../config/command-line.ts';
import {
  type AssertionAlgorithm,
  assertionAlgorithms,
  createAssertionKey,
  createKid,
  isKid,
  writeAssertionKey,
} from '../secrets/assertion-keys.ts';

const usage = `Usage: npm run --silent assertion-key [-- --kid KID] [--algorithm ALGORITHM] [--public]

Makes a private key that signs assertions, and prints an entry for ASSERTION_KEYS. Nothing stores the key.

  --kid        the id by which verifiers find its public key: 1 to 64 of a-z, A-Z, 0-9, and . _ -; random if missing
  --algorithm  ${assertionAlgorithms.join(' or ')}; ${assertionAlgorithms[0]} if missing, which nearly every verifier knows
  --public     prints the public key as well, as PEM, for a proxy that cannot read a JWK Set
  --help       prints this text
`;

const options = {
  kid: { type: 'string' },
  algorithm: { type: 'string' },
  public: { type: 'boolean' },
} as const;

const misuse = 2;

/** What is wrong with a key id or an algorithm; undefined if nothing is. */
function faultOf(kid: string, algorithm: AssertionAlgorithm | undefined): string | undefined {
  if (!isKid(kid)) return 'A key id must be 1 to 64 of a-z, A-Z, 0-9, and . _ -.';
  return algorithm ? undefined : `The algorithm must be ${assertionAlgorithms.join(' or ')}.`;
}

function make(kid: string, algorithm: AssertionAlgorithm | undefined, showsPublic: boolean): void {
  const fault = faultOf(kid, algorithm);
  if (fault !== undefined) {
    process.stderr.write(`${fault}\n\n${usage}`);
    process.exitCode = misuse;
    return;
  }
  const key = createAssertionKey(kid, algorithm);
  process.stdout.write(`${writeAssertionKey(key)}\n`);
  if (showsPublic)
    process.stdout.write(createPublicKey(key.privateKey).export({ format: 'pem', type: 'spki' }));
}

const given = readCommandLine({ usage, options });
if (given) {
  const { kid = createKid(), algorithm = assertionAlgorithms[0] } = given.values;
  make(
    kid,
    assertionAlgorithms.find((each) => each === algorithm),
    given.values.public ?? false,
  );
}
