/**
 * Whether a text is the canonical base64url spelling of its bytes (RFC 4648, section 3.5). Several texts can decode
 * to the same bytes, because decoders ignore the spare bits of the last character; only one of these texts passes:
 * `AA` and `AB` are both the byte 0, and only `AA` passes.
 */
export const isCanonicalBase64url = (text: string): boolean =>
  Buffer.from(text, 'base64url').toString('base64url') === text;
