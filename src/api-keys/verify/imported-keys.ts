import { hash } from 'node:crypto';
import { type Db, prepareQuery } from '../../database/db.ts';
import { ImportedForm } from '../../database/tables.ts';
import type { Hashing, ImportedKeys, OperationServices } from '../../operations/context.ts';
import { Repeated } from '../../repeated.ts';
import type { PepperedDigest, Peppers } from '../../secrets/peppers.ts';
import { isApiKeySecret } from '../api-key-secret.ts';

/** The hash functions of keys that Keyward can look up: they are fast, and take no salt. */
export const hashAlgorithms = ['sha256', 'sha512'] as const satisfies Hashing['algorithm'][];

/** What another service has stored of a key. */
export interface ImportedHash {
  readonly algorithm: Hashing['algorithm'];
  /** The hash, in lower-case hexadecimal digits. */
  readonly hash: string;
  /** All that precedes the hashed part; empty if the whole key is hashed. */
  readonly head: string;
}

/** How a key is looked up that was imported as a text. */
export const wholeKey: Hashing = { algorithm: 'sha256', after: '' };

/** Hashes a key that was imported as a text. */
export const hashWhole = (secret: string): ImportedHash => ({
  algorithm: wholeKey.algorithm,
  hash: hash(wholeKey.algorithm, secret),
  head: '',
});

/**
 * Hashes a text in the way of another service.
 * @returns undefined if the text has no part that was hashed
 */
function hashOf(secret: string, { algorithm, after }: Hashing): ImportedHash | undefined {
  const found = after === '' ? 0 : secret.lastIndexOf(after);
  const start = found + after.length;
  if (found < 0 || start === secret.length) return undefined;
  return { algorithm, hash: hash(algorithm, secret.slice(start)), head: secret.slice(0, start) };
}

/**
 * The text that is hashed with a pepper in place of an imported secret. No secret of this service has its form. All that
 * precedes a hashed part belongs to it: a key is accepted only as a whole.
 */
export const inPlaceOf = ({ algorithm, hash, head }: ImportedHash): string =>
  head === '' ? `${algorithm}:${hash}` : `${algorithm}:${hash}:${head}`;

/**
 * The digests that find an imported secret, of which the service knows only a hash.
 * @returns the digests under all peppers, the first pepper's digest first
 */
export const importedDigests = (peppers: Peppers, imported: ImportedHash): ReturnType<Peppers['digests']> =>
  peppers.digests(inPlaceOf(imported));

/**
 * The digests that find a text, whether its API key was made here (these come first) or imported; none if it cannot be
 * an API key. A text that cannot be one takes the same digests as a key.
 *
 * A text is looked up as it is only if it has the form of a key that was made here. Otherwise {@link inPlaceOf} would be
 * a key itself: whoever has the other service's hashes could use all its keys.
 */
export function digestsOf(
  { secrets: { peppers }, importedKeys }: Pick<OperationServices, 'secrets' | 'importedKeys'>,
  secret: string,
): readonly PepperedDigest[] {
  const digests = peppers.digests(secret);
  const own = isApiKeySecret(secret) ? digests : [];
  const ways = importedKeys.waysOf(secret);
  if (ways.length === 0) return own;
  return [...own, ...hashesOf(secret, ways).flatMap((each) => importedDigests(peppers, each))];
}

/** The hashes of a text in the ways of other services. */
export const hashesOf = (secret: string, ways: readonly Hashing[]): ImportedHash[] =>
  ways.map((way) => hashOf(secret, way)).filter((each) => each !== undefined);

/** The interval at which the beginnings of imported keys are read, in milliseconds. */
const interval = 5000;

/** The greatest length of an imported secret, in characters. */
export const longestSecret = 1000;

/** The most characters of an imported key's prefix: enough for a UUID that precedes the secret. */
export const longestPrefix = 64;

/** The most different beginnings, because every given text is compared with each. */
const mostForms = 32;

/** The most ways of hashing, because a text may have to be hashed in each. */
export const mostWays = 4;

/** The beginning that matches every key. */
const any = '';

/** The form of imported keys: how they begin, and how they were hashed. */
export type Form = Hashing & Pick<ImportedForm, 'beginning'>;

/** The form of keys with this prefix that were hashed in this way: `sk_live_a1` begins with `sk_`. */
export const formOf = (keyPrefix: string, { algorithm, after }: Hashing): Form => ({
  beginning: /^[^-_.:]+[-_.:]/.exec(keyPrefix)?.[0] ?? any,
  algorithm,
  after,
});

const selectForms = prepareQuery(ImportedForm, (db) =>
  db.selectFrom('imported_form').select(['beginning', 'algorithm', 'hashed_after as after']).orderBy('id'),
);

const insertForm = prepareQuery(ImportedForm, (db, { beginning, algorithm, after }: Form) =>
  db
    .insertInto('imported_form')
    .values({ beginning, algorithm, hashed_after: after })
    .onConflict((conflict) => conflict.columns(['beginning', 'algorithm', 'hashed_after']).doNothing()),
);

/** Whether both are the same way of hashing. */
export const isSameWay = (one: Hashing, other: Hashing): boolean =>
  one.algorithm === other.algorithm && one.after === other.after;

/** Reads the forms of the keys that were imported. */
export const readForms = (db: Db): Promise<readonly Form[]> => selectForms(db, {});

/**
 * The form to add, so that keys of a form are looked up; undefined if the known forms have it.
 * @param known the forms so far
 */
export function formToAdd(known: readonly Form[], form: Form): Form | undefined {
  const isKnown = ({ beginning }: Pick<Form, 'beginning'>) =>
    known.some((each) => each.beginning === beginning && isSameWay(each, form));
  const general = { ...form, beginning: any };
  if (isKnown(general) || isKnown(form)) return undefined;
  return known.length < mostForms ? form : general;
}

/** Makes every node look for keys of these forms. */
export async function addForms(db: Db, forms: readonly Form[]): Promise<void> {
  const known = [...(await readForms(db))];
  for (const form of forms) {
    const added = formToAdd(known, form);
    if (!added) continue;
    await insertForm(db, added);
    known.push(added);
  }
}

/** The different ways of hashing of some forms. */
export const waysIn = (forms: readonly Form[]): readonly Form[] =>
  forms.filter((form, at) => forms.findIndex((each) => isSameWay(each, form)) === at);

/** The ways in which a text may be hashed, by the known forms; none if it cannot be an imported key. */
export function waysFor(forms: readonly Form[], secret: string): readonly Hashing[] {
  if (secret.length > longestSecret) return [];
  const fitting = forms.filter(
    ({ beginning, after }) => secret.startsWith(beginning) && secret.includes(after),
  );
  return waysIn(fitting);
}

/**
 * Knows the forms of imported keys, so that the service looks up no other texts in foreign forms. It knows them from
 * the first run on, and then reads them at regular intervals.
 * @param onFailure receives the error of a failed read; the known forms stay
 */
export function knowImportedForms(db: Db, onFailure: (error: unknown) => void): Repeated & ImportedKeys {
  let forms: readonly Form[] = [];
  const read = async () => {
    forms = await readForms(db);
  };
  return Object.assign(new Repeated(interval, read, onFailure), {
    waysOf: (secret: string) => waysFor(forms, secret),
  });
}
