import type { VerificationKeys } from '../../auth/verification-keys.ts';
import type { LeakReportConfig } from '../../config/config.ts';
import type { Surround } from '../../graphql/run-operation.ts';
import { type Handler, jsonAnswer } from '../../http/exchange.ts';
import { bodyIssue, checkBody, decodeText, parseJson } from '../../http/read-request.ts';
import { basePath, createRouteMatcher } from '../../rest/routes.ts';
import { handleLeaks } from './handle-leaks.ts';
import { verifyReport } from './report-signature.ts';

const path = '/keys/leaks';

/** The path that receives reports. */
export const leakReportsPath = basePath + path;

const matchRoute = createRouteMatcher({ reportLeakedKeys: { method: 'POST', path } });

/** The most matches of a report, because the service looks up each one. */
const most = 1000;

/** The greatest length of a match, in characters; no API key is longer. */
const longestToken = 1000;

/** A text that the scanner found in public. */
interface Match {
  readonly token: string;
  readonly type?: unknown;
  readonly url?: unknown;
}

const isMatch = (item: unknown): item is Match =>
  typeof item === 'object' && item !== null && typeof (item as Match).token === 'string';

/**
 * Reads the matches of a report. An item that is no match is skipped, because the other items may still be keys.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
function readMatches(report: unknown): Match[] {
  if (!Array.isArray(report)) throw bodyIssue('list_type', 'The body must be a JSON list.');
  if (report.length > most) throw bodyIssue('too_long', `The body must have at most ${most} items.`);
  return report.filter(isMatch);
}

const decodeOnce = (text: string): string =>
  text.replaceAll(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

/** The most times that a URL may be percent-encoded. */
const mostEncodings = 5;

/**
 * Whether a URL contains one of the texts, in capital or small letters, percent-encoded or not. A URL that is encoded
 * too often counts as one that does.
 */
function mayContain(url: string, tokens: readonly string[]): boolean {
  let text = url.toLowerCase();
  for (let pass = 0; pass <= mostEncodings; pass += 1) {
    if (tokens.some((token) => text.includes(token))) return true;
    const decoded = decodeOnce(text).toLowerCase();
    if (decoded === text) return false;
    text = decoded;
  }
  return true;
}

/**
 * The URL of a match. The service stores this URL and shows it as text. So anything but an http(s) URL becomes null,
 * as does a URL with characters that could imitate others. A URL that contains a key becomes null too: a file may be
 * named after its key, or after another key of the report.
 * @param tokens all texts of the report, in small letters
 */
const readUrl = ({ url }: Match, tokens: readonly string[]): string | null =>
  typeof url === 'string' && /^https?:\/\/[!-~]{1,2000}$/.test(url) && !mayContain(url, tokens) ? url : null;

/** The settings of leak reports. */
export interface LeakReportOptions {
  readonly act: LeakReportConfig['act'];
  /** The public keys that verify the reports' signatures. */
  readonly keys: Pick<VerificationKeys, 'find'>;
}

const nothing = new Uint8Array();

interface Surroundings extends LeakReportOptions {
  readonly surround: Surround;
  readonly bodyLimit: number;
}

/**
 * Answers reports of keys that a scanner found in public, in the form in which GitHub's secret scanning sends them to
 * partners. The answer says whether each match is an API key. The signature identifies the sender, so the request
 * needs no token; the service parses nothing before it has verified the signature. No GraphQL root field does the
 * same.
 */
export const answerLeakReports =
  ({ act, keys, surround, bodyLimit }: Surroundings): Handler =>
  async (exchange) => {
    const { method, headers, body = nothing, record } = exchange;
    record.route = leakReportsPath;
    record.operation = matchRoute(method, path).field;
    checkBody(exchange, bodyLimit);
    await verifyReport(headers, body, keys);
    const matches = readMatches(parseJson(decodeText(body)));
    const tokens = matches.map(({ token }) => token.toLowerCase());
    const leaks = matches
      .filter(({ token }) => token.length <= longestToken)
      .map((match) => ({ token: match.token, url: readUrl(match, tokens) }));
    const known = await handleLeaks(surround(exchange), act, leaks);
    return jsonAnswer(
      matches.map(({ token, type }) => ({
        token_raw: token,
        ...(typeof type === 'string' && { token_type: type }),
        label: known.has(token) ? 'true_positive' : 'false_positive',
      })),
    );
  };
