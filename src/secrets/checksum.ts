import { crc32 } from 'node:zlib';

/** The checksum at the end of a secret, as eight hexadecimal digits: a mistyped or truncated secret has another. */
export const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0');
