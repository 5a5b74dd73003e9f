/**
 * What follows the scheme in `Authorization: Bearer …` (RFC 6750, section 2.1).
 * @returns undefined where there is none, another scheme included
 */
export function readBearer(headers: Headers): string | undefined {
  const text = headers.get('authorization')?.trim() ?? '';
  const space = text.indexOf(' ');
  const scheme = space < 0 ? text : text.slice(0, space);
  if (scheme.toLowerCase() !== 'bearer') return undefined;
  return text.slice(scheme.length).replace(/^ +/, '');
}
