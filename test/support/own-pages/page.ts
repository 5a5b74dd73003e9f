/** What a page of a provider tells its test, and how it gets an access token: the test puts it there. */
declare global {
  /** Gives a new access token of a person; null for nobody. */
  function issueToken(person: string): Promise<string | null>;
  /** What the element told the page. */
  var told: { name: string; detail: unknown }[];
}

/** The token of the person who uses the page. */
export const getToken = (): Promise<string | null> => issueToken('alice');

/** Notes what an element tells. */
export const listen = ({ type, detail }: CustomEvent): void => {
  globalThis.told ??= [];
  globalThis.told.push({ name: type, detail });
};
