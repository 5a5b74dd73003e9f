import { verify } from 'node:crypto';
import { fetchJson } from '../../auth/fetch-json.ts';
import type { KeySet } from '../../auth/verification-key.ts';
import { type ReadReport, VerificationKeys } from '../../auth/verification-keys.ts';
import type { LeakReportConfig } from '../../config/config.ts';
import { type ScannerKeys, scannerKeys } from '../../config/values/scanner-keys.ts';
import { GatewayError } from '../../errors.ts';
import type { RequestHeaders } from '../../http/exchange.ts';

/** A signature on P-256 in DER has at most 72 bytes. */
const wellFormed = /^[A-Za-z0-9+/]{1,100}={0,2}$/;

/**
 * Makes the error for an unsigned or wrongly signed report. The answer is always the same; only the log shows the
 * reason.
 */
const refused = (reason: string) =>
  new GatewayError('FORBIDDEN', 'The report is not signed by a known key', {
    reason: `leak-report-${reason}`,
  });

/**
 * Verifies the sender of a report by its two header fields: ECDSA on P-256 with SHA-256, DER in base64, over the
 * exact bytes of the body.
 * @throws {GatewayError} `FORBIDDEN`; `SERVICE_UNAVAILABLE` if there are no keys at the moment
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

// GitHub answers 60 requests an hour without a token, for all processes behind one address together.
const pace = { cooldown: 10 * 60_000, refresh: 60 * 60_000, longestRetry: 10 * 60_000 };

/**
 * The public keys that verify the reports' signatures. If they come from a URL, they are refreshed in the background;
 * an unknown key identifier causes a read at most every ten minutes.
 * @param report receives the outcomes of these reads
 */
export const readScannerKeys = (keys: Keys, report: ReadReport): VerificationKeys =>
  new VerificationKeys(async () => toKeySet(await read(keys)), report, pace);

const read = async (keys: Keys): Promise<ScannerKeys> =>
  typeof keys === 'string' ? scannerKeys.parse(await fetchJson(keys)) : keys;

const toKeySet = (keys: ScannerKeys): KeySet =>
  [...keys].map(([kid, publicKey]) => ({ kid, publicKey, algorithms: ['ES256'] }));
