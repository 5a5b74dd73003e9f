import { verify } from 'node:crypto';
import { fetchJson } from '../auth/fetch-json.ts';
import type { KeySet } from '../auth/verification-key.ts';
import { type ReadReport, VerificationKeys } from '../auth/verification-keys.ts';
import type { LeakReportConfig } from '../config/config.ts';
import { type ScannerKeys, scannerKeys } from '../config/scanner-keys.ts';
import { GatewayError } from '../errors.ts';
import type { RequestHeaders } from '../http/exchange.ts';

/** A signature on P-256 in DER has at most 72 bytes. */
const wellFormed = /^[A-Za-z0-9+/]{1,100}={0,2}$/;

/** One answer whatever is wrong with a signature; which it is, is for the log alone. */
const refused = (reason: string) =>
  new GatewayError('FORBIDDEN', 'The report is not signed by a key that is known here', {
    reason: `leak-report-${reason}`,
  });

/**
 * Makes sure that a report comes from whom it says, by its two header fields: ECDSA on P-256 with SHA-256, DER in base64,
 * over the body byte for byte.
 * @throws {GatewayError} `FORBIDDEN`; `SERVICE_UNAVAILABLE` where there are no keys to verify it by, now
 */
export async function verifyReport(
  headers: RequestHeaders,
  body: Uint8Array,
  keys: Pick<VerificationKeys, 'find'>,
): Promise<void> {
  const identifier = headers['github-public-key-identifier'];
  const signature = headers['github-public-key-signature'] ?? '';
  if (identifier === undefined || !wellFormed.test(signature)) throw refused('unsigned');
  const key = await keys.find(identifier);
  if (!key) throw refused('unknown-key');
  const by = { key: key.publicKey, dsaEncoding: 'der' } as const;
  if (!verify('sha256', body, by, Buffer.from(signature, 'base64'))) throw refused('bad-signature');
}

type Keys = LeakReportConfig['keys'];

// GitHub answers whoever has no token 60 times in an hour, all processes behind an address together.
const pace = { cooldown: 10 * 60_000, refresh: 60 * 60_000, longestRetry: 10 * 60_000 };

/**
 * The keys by which reports are signed, kept fresh in the background where they are fetched; who names one that is not
 * known has them fetched every ten minutes at the most.
 * @param report told how reads go
 */
export const readScannerKeys = (keys: Keys, report: ReadReport): VerificationKeys =>
  new VerificationKeys(async () => toKeySet(await read(keys)), report, pace);

const read = async (keys: Keys): Promise<ScannerKeys> =>
  typeof keys === 'string' ? scannerKeys.parse(await fetchJson(keys)) : keys;

const toKeySet = (keys: ScannerKeys): KeySet =>
  new Map([...keys].map(([kid, publicKey]) => [kid, { kid, publicKey, algorithms: ['ES256'] }]));
