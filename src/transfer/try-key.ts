import { hash } from 'node:crypto';
import { selectAccount } from '../accounts/own-account.ts';
import type { Destination, KeyLine } from '../api-keys/import/import-keys.ts';
import { visible } from '../api-keys/import/key-text.ts';
import {
  digestsOf,
  type Form,
  formToAdd,
  hashAlgorithms,
  hashesOf,
  inPlaceOf,
  longestPrefix,
  longestSecret,
  readForms,
  waysFor,
} from '../api-keys/verify/imported-keys.ts';
import { failureOf, findByDigests } from '../api-keys/verify/verify-secret.ts';
import type { Hashing } from '../operations/context.ts';
import { createLineReader, readJson } from './key-line.ts';
import { type Line, LineError } from './read-lines.ts';

/** Whether a key would be accepted, and why. */
export interface Trial {
  readonly isAccepted: boolean;
  /** One sentence or more, with nothing from the file. */
  readonly why: string;
}

/** The words for a line with this very key. */
const itself = 'it is this key';

/** The words for such a line if its key is not found. */
const lookedUpOtherwise =
  'it is this key, but is looked up otherwise: the key does not begin with key_prefix, or hashed_part is wrong';

const refused = (why: string): Trial => ({ isAccepted: false, why });

/** What the hash of a line is made of, in words. */
type Sources = ReadonlyMap<string, string>;

/**
 * The shortest text after which this part of a key begins; undefined if the part cannot be imported.
 * @param start the place of the part's first character
 */
function separatorOf(key: string, start: number): string | undefined {
  if (start > longestPrefix) return undefined;
  for (let length = 1; length <= start; length += 1) {
    const text = key.slice(start - length, start);
    if (key.lastIndexOf(text) === start - length) return text;
  }
  return undefined;
}

function describePart(key: string, start: number): string {
  const after = separatorOf(key, start);
  const part = `its hash is of the last ${key.length - start} characters of this key`;
  if (after === undefined) return `${part}, which cannot be looked up`;
  const members = { key_prefix: key.slice(0, start), hashed_part: { after } };
  return `${part}: it needs ${JSON.stringify(members).slice(1, -1)}`;
}

/** All that a service may have hashed of this key, by the hash in hexadecimal digits. */
function sourcesOf(key: string): Sources {
  const bytes: [string | Buffer, string][] = [
    ...Array.from({ length: key.length - 1 }, (_, at): [string, string] => [
      key.slice(at + 1),
      describePart(key, at + 1),
    ]),
    [`${key}\n`, 'its hash is of this key and a line break: hash the key without one'],
    [key.toLowerCase(), 'its hash is of this key in lower case, which cannot be looked up'],
    [key.toUpperCase(), 'its hash is of this key in capitals, which cannot be looked up'],
    [Buffer.from(key, 'hex'), 'its hash is of the bytes of this hexadecimal key, which cannot be looked up'],
    [Buffer.from(key, 'base64'), 'its hash is of the bytes of this base64 key, which cannot be looked up'],
    [key, itself],
  ];
  return new Map(
    hashAlgorithms.flatMap((algorithm) =>
      bytes
        .filter(([source]) => source.length > 0)
        .map(([source, words]) => [hash(algorithm, source), words] as const),
    ),
  );
}

/** What a line has of the key, in words; undefined: nothing. The line may be one that the import refuses. */
function relationOf(text: string, key: string, sources: Sources): string | undefined {
  const members = Object(readJson(text)) as Readonly<Record<string, unknown>>;
  if (members['key'] === key) return itself;
  for (const name of hashAlgorithms) {
    const given = members[name];
    if (typeof given !== 'string') continue;
    const found =
      sources.get(given.toLowerCase()) ?? sources.get(Buffer.from(given, 'base64').toString('hex'));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What becomes of a key when its line was imported. */
async function trialOf({ db }: Destination, line: KeyLine): Promise<Trial> {
  const here = `line ${line.number} is this key`;
  if (!line.isActive) return refused(`${here}, and is_active is false`);
  if (line.pausedAt) return refused(`${here}, and paused_at is set`);
  const { expiresAt } = line.parts;
  if (expiresAt && expiresAt <= new Date()) return refused(`${here}, and expires_at is over`);
  const [account] = await selectAccount(db, line);
  if (account?.blockedAt) return refused(`${here}, and its account is blocked`);
  return { isAccepted: true, why: here };
}

/** Finds out whether the database has the key, whatever the file says of it. */
async function tryStored({ db, secrets }: Destination, key: string, forms: readonly Form[]) {
  const importedKeys = { waysOf: (text: string): readonly Hashing[] => waysFor(forms, text) };
  const found = await findByDigests(db, digestsOf({ secrets, importedKeys }, key));
  if (!found) return undefined;
  const reason = failureOf(found, new Date());
  return reason === null
    ? { isAccepted: true, why: `it is here already: key ${found.id}` }
    : refused(`it is here already: key ${found.id}, which is refused (${reason})`);
}

/**
 * Finds out whether a key would be accepted after an import of these lines, and why not. Writes nothing. The answer is
 * about the secret only, not about a use of the key: its addresses, permissions and limits.
 * @param options.issuers the issuers that a line may name; an empty list allows any issuer
 * @param options.onLine called for each line that was read
 */
export async function tryKey(
  destination: Destination,
  lines: AsyncIterable<Line>,
  key: string,
  { issuers, onLine }: { readonly issuers: readonly string[]; readonly onLine?: (line: Line) => void },
): Promise<Trial> {
  if (!visible(longestSecret).safeParse(key).success)
    return refused(`a key has 1 to ${longestSecret} visible ASCII characters`);
  const { db, settings } = destination;
  const forms = [...(await readForms(db))];
  const stored = await tryStored(destination, key, forms);
  if (stored) return stored;
  const read = createLineReader({ settings, issuers, forms });
  const { found, hint } = await search(lines, key, { read, forms, onLine });
  return found
    ? trialOf(destination, found)
    : refused(hint ?? 'no line has a hash of this key or of a part of it');
}

/** How lines are searched for a key. */
interface Search {
  readonly read: ReturnType<typeof createLineReader>;
  /** The forms of the imported keys; gets those of the lines. */
  readonly forms: Form[];
  readonly onLine?: ((line: Line) => void) | undefined;
}

/** Reads a line; a fault if the import would refuse it. An empty line is neither. */
function readLine(read: Search['read'], number: number, text: string): { given?: KeyLine; fault?: string } {
  if (text.trim() === '') return {};
  try {
    return { given: read(number, text) };
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    return { fault: error.message };
  }
}

/** What a line has of the key, for a person. */
function hintOf(relation: string, fault: string | undefined): string {
  if (fault !== undefined) return `${relation}. ${fault}`;
  return relation === itself ? lookedUpOtherwise : relation;
}

/**
 * Reads all lines, because each may make the import refuse a later one, or bring a form by which the key is looked up.
 * @returns the line whose key a verification of this text finds after the import; or, if there is none, what the first
 *   line that has something of the key has
 */
async function search(lines: AsyncIterable<Line>, key: string, { read, forms, onLine }: Search) {
  const sources = sourcesOf(key);
  const found = new Map<string, KeyLine>();
  let hint: string | undefined;
  for await (const line of lines) {
    const { number, text = '' } = line;
    const { given, fault } = readLine(read, number, text);
    const added = given && formToAdd(forms, given.form);
    if (added) forms.push(added);
    const relation = relationOf(text, key, sources);
    if (relation !== undefined) {
      hint ??= `line ${number}: ${hintOf(relation, fault)}`;
      // Of several lines with the same key, the import takes the first.
      if (given) found.set(inPlaceOf(given.imported), found.get(inPlaceOf(given.imported)) ?? given);
    }
    onLine?.(line);
  }
  const hashes = hashesOf(key, waysFor(forms, key)).map(inPlaceOf);
  return { found: hashes.map((hash) => found.get(hash)).find((line) => line !== undefined), hint };
}
