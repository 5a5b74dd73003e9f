import { createPublicKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';

/** The public keys of a scanner, by key identifier. */
export type ScannerKeys = ReadonlyMap<string, KeyObject>;

const published = z.object({
  public_keys: z.array(z.object({ key_identifier: z.string(), key: z.string().max(5000) })).max(100),
});

/** Parses a public key in PEM; undefined unless it is a key on P-256, because scanners sign with no other. */
function readKey(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The public keys of a scanner, from `{"public_keys": [{"key_identifier", "key"}]}`, GitHub's format. Unusable keys
 * are ignored; at least one usable key must remain.
 */
export const scannerKeys = z.unknown().transform((value, context): ScannerKeys => {
  const keys = new Map<string, KeyObject>();
  for (const { key_identifier: identifier, key } of published.safeParse(value).data?.public_keys ?? []) {
    const read = readKey(key);
    if (read) keys.set(identifier, read);
  }
  if (keys.size === 0)
    context.addIssue(
      'must be {"public_keys": [{"key_identifier": …, "key": …}]}, with at least one public key on P-256 in PEM',
    );
  return keys;
});
