import { createPublicKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';

/** Public keys of a scanner by their identifiers. */
export type ScannerKeys = ReadonlyMap<string, KeyObject>;

const published = z.object({
  public_keys: z.array(z.object({ key_identifier: z.string(), key: z.string().max(5000) })).max(100),
});

/** A public key in PEM, where it is one on P-256: no other signs reports. */
function readKey(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The keys by which a scanner signs its reports, from `{"public_keys": [{"key_identifier", "key"}]}` as GitHub publishes
 * them. Those that cannot be used are left out; one must be left.
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
