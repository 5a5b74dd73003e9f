/**
 * Whether a text is the one spelling of its bytes in base64url (RFC 4648, section 3.5). The last character of another may
 * hold bits that no decoder looks at: of two texts with the same bytes only one is taken.
 */
export const isCanonicalBase64url = (text: string): boolean =>
  Buffer.from(text, 'base64url').toString('base64url') === text;
