import { fetchJson } from '../auth/fetch-json.ts';
import type { KeySet } from '../auth/verification-key.ts';
import { type ReadReport, VerificationKeys } from '../auth/verification-keys.ts';
import type { LeakReportConfig } from '../config/config.ts';
import { type ScannerKeys, scannerKeys } from '../config/scanner-keys.ts';

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
