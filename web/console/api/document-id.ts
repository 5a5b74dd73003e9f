/**
 * The id by which the server knows a document of this page: its SHA-256 digest.
 * @param text as graphql-js prints it
 */
export async function documentId(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  // Many browsers do not have `toHex` of typed arrays yet.
  const bytes = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'));
  return `sha256:${bytes.join('')}`;
}
