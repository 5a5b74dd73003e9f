import { hash } from 'node:crypto';
import { type Db, prepareQuery } from '../../database/db.ts';
import { ImportedForm } from '../../database/tables.ts';
import type { ImportedKeys } from '../../operations/context.ts';
import { Repeated } from '../../repeated.ts';
import type { Peppers } from '../../secrets/peppers.ts';

/** SHA-256 of a secret, in lower-case hexadecimal digits. */
export const sha256Of = (secret: string): string => hash('sha256', secret);

/** The text that is hashed with a pepper in place of an imported secret. No secret of this service looks like it. */
const inPlaceOf = (sha256: string): string => `sha256:${sha256}`;

/**
 * The digests that find an imported secret, of which the service knows only the SHA-256.
 * @param sha256 in lower-case hexadecimal digits
 * @returns the digests under all peppers, the first pepper's digest first
 */
export const importedDigests = (peppers: Peppers, sha256: string): ReturnType<Peppers['digests']> =>
  peppers.digests(inPlaceOf(sha256));

/** The interval at which the beginnings of imported keys are read, in milliseconds. */
const interval = 5000;

/** The greatest length of an imported secret, in characters. */
export const longestSecret = 1000;

/** The most different beginnings, because every given text is compared with each. */
const mostForms = 32;

/** The beginning that matches every key. */
const any = '';

/** The beginning of keys with this prefix: `sk_live_a1` → `sk_`. */
const beginningOf = (keyPrefix: string): string => /^[^-_.:]+[-_.:]/.exec(keyPrefix)?.[0] ?? any;

const selectForms = prepareQuery(ImportedForm, (db) => db.selectFrom('imported_form').select('beginning'));

const insertForm = prepareQuery(ImportedForm, (db, { beginning }: Pick<ImportedForm, 'beginning'>) =>
  db
    .insertInto('imported_form')
    .values({ beginning })
    .onConflict((conflict) => conflict.column('beginning').doNothing()),
);

const readForms = async (db: Db): Promise<string[]> =>
  (await selectForms(db, {})).map(({ beginning }) => beginning);

/** Makes every node look for keys with these prefixes. */
export async function addForms(db: Db, keyPrefixes: readonly string[]): Promise<void> {
  const known = new Set(await readForms(db));
  for (const beginning of new Set(keyPrefixes.map(beginningOf))) {
    if (known.has(any) || known.has(beginning)) continue;
    const added = known.size < mostForms ? beginning : any;
    await insertForm(db, { beginning: added });
    known.add(added);
  }
}

/**
 * Knows the beginnings of imported keys, so that the service looks up no other texts in foreign forms. It knows them
 * from the first run on, and then reads them at regular intervals.
 * @param onFailure receives the error of a failed read; the known beginnings stay
 */
export function knowImportedForms(db: Db, onFailure: (error: unknown) => void): Repeated & ImportedKeys {
  let beginnings: readonly string[] = [];
  const read = async () => {
    beginnings = await readForms(db);
  };
  return Object.assign(new Repeated(interval, read, onFailure), {
    mayHave: (secret: string) =>
      secret.length <= longestSecret && beginnings.some((beginning) => secret.startsWith(beginning)),
  });
}
