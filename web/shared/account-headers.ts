/** The header fields of a request for an organisation; none for the person themself. */
export function accountHeaders(organization: string | undefined): Readonly<Record<string, string>> {
  if (organization === undefined) return {};
  // What no header field can carry is nobody's id.
  const isPossible = /^[!-~](?:[ -~]*[!-~])?$/.test(organization);
  return { 'keyward-organization': isPossible ? organization : encodeURIComponent(organization) };
}
