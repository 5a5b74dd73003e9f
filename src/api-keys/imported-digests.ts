import { hash } from 'node:crypto';
import type { Peppers } from '../secrets/peppers.ts';

/** SHA-256 of a secret, in lower-case hexadecimal digits. */
export const sha256Of = (secret: string): string => hash('sha256', secret);

/** What is put under a pepper in place of a secret. None of ours looks like it. */
const inPlaceOf = (sha256: string): string => `sha256:${sha256}`;

/**
 * By what a secret is found that was brought here from elsewhere, where no more was kept of it than its SHA-256.
 * @param sha256 in lower-case hexadecimal digits
 * @returns its digests under every pepper; that of the pepper that writes comes first
 */
export const importedDigests = (peppers: Peppers, sha256: string): ReturnType<Peppers['digests']> =>
  peppers.digests(inPlaceOf(sha256));
