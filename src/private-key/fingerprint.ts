import { createECDH } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';

/**
 * The fingerprint of a private key of secp256k1: the JWK thumbprint of its public key, with SHA-256 (RFC 7638, RFC
 * 8812). It tells nothing of the private key, and whoever has the key can compute it.
 * @param privateKey 64 hexadecimal digits, with or without a leading `0x`
 * @returns 43 characters of base64url
 */
export function fingerprintOf(privateKey: string): Promise<string> {
  const curve = createECDH('secp256k1');
  curve.setPrivateKey(privateKey.slice(-64), 'hex');
  // Uncompressed: a byte that says so, then both coordinates.
  const point = curve.getPublicKey();
  const coordinate = (from: number) => point.subarray(from, from + 32).toString('base64url');
  return calculateJwkThumbprint({ kty: 'EC', crv: 'secp256k1', x: coordinate(1), y: coordinate(33) });
}
