import type { Logger } from 'pino';
import type { VerificationKeys } from '../auth/verification-keys.ts';
import type { LeakReportConfig } from '../config/config.ts';
import type { Db } from '../database/db.ts';
import { jsonAnswer } from '../http/answers.ts';
import type { Exchange, Handler } from '../http/exchange.ts';
import { bodyIssue, decodeText, limitBody, parseJson } from '../http/read-request.ts';
import type { EventLog } from '../observability/events.ts';
import { createEventLog } from '../observability/log.ts';
import { basePath, createRouteMatcher } from '../rest/routes.ts';
import type { Wakeable } from '../webhooks/webhooks.ts';
import { endLeakedKeys, type LeakContext } from './end-leaked-keys.ts';
import { verifyReport } from './report-signature.ts';

const path = '/keys/leaks';

/** Where reports are sent to. */
export const leakReportsPath = basePath + path;

const matchRoute = createRouteMatcher({ reportLeakedKeys: { method: 'POST', path } });

/** How many matches a report may have: each is looked for. */
const most = 1000;

/** No API key is longer; what is, is none. */
const longestToken = 1000;

/** Something that was found. */
interface Match {
  readonly token: string;
  readonly type?: unknown;
  readonly url?: unknown;
}

const isMatch = (item: unknown): item is Match =>
  typeof item === 'object' && item !== null && typeof (item as Match).token === 'string';

/**
 * What a report tells; what is no match in it is passed over: the others are keys all the same.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
function readMatches(report: unknown): Match[] {
  if (!Array.isArray(report)) throw bodyIssue('list_type', 'The body must be a JSON list.');
  if (report.length > most) throw bodyIssue('too_long', `The body must have at most ${most} items.`);
  return report.filter(isMatch);
}

/**
 * Where something was found. It is kept, and shown as text: so it is a URL or nothing, has no character that could
 * pretend to be another, and does not repeat the key, as that of a file may that is called like it.
 */
const readUrl = ({ token, url }: Match): string | null =>
  typeof url === 'string' && /^https?:\/\/[!-~]{1,2000}$/.test(url) && !url.includes(token) ? url : null;

/** What reports are answered with. */
export interface LeakReportOptions {
  readonly act: LeakReportConfig['act'];
  /** Those that reports are signed by. */
  readonly keys: Pick<VerificationKeys, 'find'>;
}

const nothing = new Uint8Array();

interface Surroundings extends LeakReportOptions {
  readonly secrets: LeakContext['secrets'];
  /** The database for a request. */
  readonly dbOf: (exchange: Exchange) => Db;
  readonly logger: Logger;
  /** Told after each change. */
  readonly webhooks: Wakeable | undefined;
  readonly bodyLimit: number;
}

/**
 * Answers reports of keys that were found in public, as GitHub's secret scanning sends them to partners: with whether
 * each is a key. It is known by its signature, so no token is needed, and before the signature is verified nothing is
 * read; no root field of GraphQL's stands behind it.
 */
export const answerLeakReports =
  ({ act, keys, secrets, dbOf, logger, webhooks, bodyLimit }: Surroundings): Handler =>
  async (exchange) => {
    const { method, headers, body = nothing, record } = exchange;
    record.route = leakReportsPath;
    record.operation = matchRoute(method, path).field;
    limitBody(exchange, bodyLimit);
    await verifyReport(headers, body, keys);
    const matches = readMatches(parseJson(decodeText(body)));
    const leaks = matches
      .filter(({ token }) => token.length <= longestToken)
      .map((match) => ({ token: match.token, url: readUrl(match) }));
    const log = createEventLog(logger, record);
    const events: EventLog = (name, event) => {
      log(name, event);
      webhooks?.wake();
    };
    const { requestId } = record;
    const db = dbOf(exchange).until(exchange.answerBy);
    const known = await endLeakedKeys({ db, secrets, events, requestId }, act, leaks);
    return jsonAnswer(
      matches.map(({ token, type }) => ({
        token_raw: token,
        ...(typeof type === 'string' && { token_type: type }),
        label: known.has(token) ? 'true_positive' : 'false_positive',
      })),
    );
  };
