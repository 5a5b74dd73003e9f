/** A Bearer challenge as the gateway under test writes it: its parameters, and where its metadata is (RFC 9728). */
export const challenge = (parameters = ''): string =>
  `Bearer realm="keyward"${parameters}, resource_metadata="http://keyward.test/.well-known/oauth-protected-resource"`;
