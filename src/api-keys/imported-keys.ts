import { hash } from 'node:crypto';
import { type Db, prepareQuery } from '../database/db.ts';
import { ImportedForm } from '../database/tables.ts';
import type { ImportedKeys } from '../operations/context.ts';
import type { Peppers } from '../secrets/peppers.ts';

/** SHA-256 of a secret, in lower-case hexadecimal digits. */
export const sha256Of = (secret: string): string => hash('sha256', secret);

/** What is put under a pepper in place of a secret. None of ours looks like it. */
const inPlaceOf = (sha256: string): string => `sha256:${sha256}`;

/**
 * By what a secret is found that was brought here from elsewhere, where no more was kept of it than its SHA-256.
 * @param sha256 in lower-case hexadecimal digits
 * @returns its digests under every pepper; that of the pepper that writes comes first
 */
export const importedDigests = (peppers: Peppers, sha256: string): ReturnType<Peppers['digests']> =>
  peppers.digests(inPlaceOf(sha256));

/** How often the beginnings of such keys are read, in milliseconds. */
const interval = 5000;

/** The most characters of a secret from elsewhere. */
export const longestSecret = 1000;

/** The most beginnings that are told apart: each is compared with what comes. */
const mostForms = 32;

/** That of a key that begins in any way. */
const any = '';

/** How the keys begin that have a prefix: `sk_live_a1` is one of `sk_`. */
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

/** Sees to it that keys with these prefixes are looked for, on every node. */
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
 * Knows how the keys begin that were brought here from elsewhere, so that nothing else of another form than ours is
 * looked for: it reads that at the start, and again and again. Disposing of it ends that.
 */
export class ImportedForms implements ImportedKeys, Disposable {
  readonly #db: Db;
  readonly #onFailure: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #beginnings: readonly string[] = [];

  /** @param onFailure told why they could not be read; what was known stays so, and they are read again later */
  constructor(db: Db, onFailure: (error: unknown) => void) {
    this.#db = db;
    this.#onFailure = onFailure;
    this.#timer = setInterval(() => void this.read(), interval).unref();
  }

  mayHave(secret: string): boolean {
    return (
      secret.length <= longestSecret && this.#beginnings.some((beginning) => secret.startsWith(beginning))
    );
  }

  /** Reads them now. Never rejects. */
  async read(): Promise<void> {
    try {
      this.#beginnings = await readForms(this.#db);
    } catch (error) {
      this.#onFailure(error);
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
