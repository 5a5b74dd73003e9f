import { nameHere } from '../shared/place.ts';

// What a page leaves for the next page in this tab: never a token, nor anything that is enough to get one.
const scopesName = nameHere('signed-in-with');
const questionName = nameHere('sign-in-asked');
const visitName = nameHere('visit');

/** A sign-in that the provider was asked for. */
export interface Asked {
  /** Tells this sign-in apart from others, such as one in another tab. */
  readonly state: string;
  /** Proves that the page that redeems the code is the page that requested it (RFC 7636). */
  readonly verifier: string;
}

/** A sign-in for which the provider opened in place of the page, and its response. */
export interface Question extends Asked {
  readonly scopes: readonly string[];
  /** The page to return to. */
  readonly page: string;
  /** The parameters of the response, not yet checked. */
  readonly answer?: string;
}

/** Uses the storage of the tab. If the browser gives this page none, it acts as if the storage were empty. */
function withStorage<Result>(act: (storage: Storage) => Result): Result | undefined {
  try {
    return act(sessionStorage);
  } catch {
    return undefined;
  }
}

const take = (name: string) =>
  withStorage((storage) => {
    const text = storage.getItem(name);
    storage.removeItem(name);
    return text === null ? undefined : JSON.parse(text);
  });

const keep = (name: string, value: object) =>
  withStorage((storage) => storage.setItem(name, JSON.stringify(value)));

/** Whether somebody was signed in on the page before, or is being signed in. */
export const wasSignedIn = (): boolean =>
  withStorage((storage) => [scopesName, questionName].some((name) => storage.getItem(name) !== null)) ??
  false;

/** Remembers that somebody is signed in, and with which scopes. */
export const rememberSignIn = (scopes: readonly string[]): void => void keep(scopesName, scopes);

/** Forgets the sign-in and returns its scopes. */
export const forgetSignIn = (): readonly string[] | undefined => take(scopesName);

/** Keeps a question while the provider is shown. */
export const keepQuestion = (question: Question): void => void keep(questionName, question);

/** What is kept of a visit, which ends when the person signs out. */
interface Visit {
  /** A mark, for the entries of the history. It tells nothing about the person. */
  readonly mark: string;
  /** Whose visit it is; missing until somebody has signed in. */
  readonly person?: string;
}

const readVisit = (): Visit | undefined =>
  withStorage((storage) => JSON.parse(storage.getItem(visitName) ?? 'null')) ?? undefined;

/** Begins a visit, and returns its mark; undefined if the browser keeps nothing for this page. */
export function beginVisit(): string | undefined {
  keep(visitName, { mark: crypto.getRandomValues(new Uint32Array(2)).join('-') } satisfies Visit);
  return readVisit()?.mark;
}

/** The mark of the visit in this tab; undefined if the browser keeps nothing for this page. */
export const currentVisit = (): string | undefined => readVisit()?.mark ?? beginVisit();

/** Whose visit it is; undefined: nobody's yet. */
export const personOfVisit = (): string | undefined => readVisit()?.person;

/** Remembers whose visit it is, so that the next page in this tab is not another person's. */
export function rememberPerson(person: string): void {
  const visit = readVisit();
  if (visit) keep(visitName, { ...visit, person } satisfies Visit);
}

/** Returns the kept question and forgets it. */
export const takeQuestion = (): Question | undefined => take(questionName);
