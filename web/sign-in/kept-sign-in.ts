// What a page leaves behind for the next one of this tab: never a token, nor anything that gets one by itself.
const scopesName = 'signed-in-with';
const questionName = 'sign-in-asked';

/** A sign-in that the provider was asked for. */
export interface Asked {
  /** Tells this sign-in from others, such as those of another tab. */
  readonly state: string;
  /** Proves that who brings the answer is who asked (RFC 7636). */
  readonly verifier: string;
}

/** A question that the provider was asked in place of the page, and what came back. */
export interface Question extends Asked {
  readonly scopes: readonly string[];
  /** The page that it was asked for. */
  readonly page: string;
  /** The parameters of the answer, not yet checked. */
  readonly answer?: string;
}

/** Does something with the tab's storage; a browser that gives none to this page has nothing there. */
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

/** Keeps that somebody is signed in, and with which scopes. */
export const rememberSignIn = (scopes: readonly string[]): void => void keep(scopesName, scopes);

/** Forgets it; what comes out are the scopes. */
export const forgetSignIn = (): readonly string[] | undefined => take(scopesName);

/** Keeps a question while the provider has the window. */
export const keepQuestion = (question: Question): void => void keep(questionName, question);

/** The question that was kept, which is forgotten. */
export const takeQuestion = (): Question | undefined => take(questionName);
