/** The claims of a token, as on the wire (RFC 9068). */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * A claim by its name, or a member of a claim: `firebase.sign_in_provider` is the claim of that name, or else the member
 * `sign_in_provider` of the claim `firebase`. A name may have dots: of several ways to read it, the one with the longest
 * name of a claim counts.
 */
export function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const head = name.slice(0, dot);
    const value = Object.hasOwn(claims, head) ? claims[head] : undefined;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    const found = isObject ? claimOf(value as Claims, name.slice(dot + 1)) : undefined;
    // A claim of another form hides none that is there.
    if (found !== undefined) return found;
  }
  return undefined;
}
