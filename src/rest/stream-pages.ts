import type { Page } from '../database/page.ts';
import { badUserInput, GatewayError } from '../errors.ts';
import type { Pipeline } from '../graphql/run-operation.ts';
import type { Answer, Exchange, RequestHeaders } from '../http/exchange.ts';
import type { OperationContext, Stream } from '../operations/context.ts';
import type { BoundRoute } from './bound-routes.ts';
import { inRestNames } from './read-input.ts';
import type { Sofa } from './sofa.ts';

/** What an operation answers, in REST's names. */
export interface Answered {
  /** The value of the root field; of a connection, its nodes. */
  readonly value: unknown;
  /** The page information of a list; undefined for any other answer. */
  readonly pageInfo: Page<unknown>['pageInfo'] | undefined;
}

/** Newline-delimited JSON: one value on a line. */
const linesType = 'application/x-ndjson';

/** Whether a request asks for the items of a list one on a line (RFC 9110, section 12.5.1). */
export const asksForLines = ({ accept }: RequestHeaders): boolean =>
  accept?.split(',').some((range) => range.split(';', 1)[0]?.trim().toLowerCase() === linesType) === true;

/** The most such answers at a time in a process: each holds a page in memory while its client reads. */
const mostStreams = 4;

const tooMany = () =>
  new GatewayError('SERVICE_UNAVAILABLE', 'Service Unavailable', {
    reason: 'too-many-streams',
    headers: { 'retry-after': '30' },
  });

/** The items of a page: few, because others wait while a page is made. */
const itemsAtOnce = 50;

/** Reads a page: the first, or the one after a cursor. */
type Read = (cursor?: string) => Promise<Answered>;

/** The lines of a page; the stream counts its items. */
function linesOf({ value }: Answered, stream: Stream): string {
  const items = value as readonly unknown[];
  stream.count += items.length;
  return items.map((item) => `${JSON.stringify(item)}\n`).join('');
}

/** What an answer of all pages is made with. */
interface Making {
  readonly read: Read;
  /** Gives what comes next as long as an answer has. */
  readonly renew: () => void;
}

/** Ends an answer, once: before its last line, which must not come if this fails. */
async function close(stream: Stream, renew: () => void): Promise<void> {
  const { onEnd } = stream;
  delete stream.onEnd;
  renew();
  await onEnd?.();
}

/** Makes what follows the first page. The last line is a cursor, with which a later request goes on. */
function follow(first: Answered, { read, renew }: Making, stream: Stream): () => Promise<string | undefined> {
  let { pageInfo } = first;
  let isOver = false;
  return async () => {
    if (isOver) return undefined;
    isOver = !pageInfo?.hasNextPage || pageInfo.endCursor === null;
    if (isOver) {
      await close(stream, renew);
      return `${JSON.stringify({ cursor: pageInfo?.endCursor ?? null })}\n`;
    }
    const page = await read(pageInfo?.endCursor ?? undefined);
    pageInfo = page.pageInfo;
    return linesOf(page, stream);
  };
}

/** What executes the operations of routes. */
interface Executing {
  readonly pipeline: Pipeline;
  readonly sofa: Sofa;
  readonly readAnswer: (value: unknown, route: BoundRoute) => Answered;
}

/** Makes what reads the pages of a list. The first is an operation like any other; then the same operation goes on. */
async function readerOf(
  { pipeline, sofa, readAnswer }: Executing,
  route: BoundRoute,
  field: string,
  { contextValue, variables }: Called,
): Promise<Making> {
  const { db, answerBy, record } = contextValue;
  const operation = await sofa.operationOf(route);
  const goOn = sofa.compiled.get(operation.document);
  const renew = () =>
    Object.assign(contextValue, { db: db.until(performance.now() + answerBy - record.startedAt) });
  const ofPage = { ...variables, limit: itemsAtOnce };
  const read: Read = async (cursor) => {
    renew();
    const result = await (cursor === undefined
      ? pipeline.execute({ ...operation, contextValue, variableValues: ofPage })
      : goOn?.(undefined, contextValue, { ...ofPage, cursor }));
    if (result?.errors?.[0]) throw inRestNames(result.errors[0], route.inputs);
    return readAnswer(result?.data?.[field], route);
  };
  return { read, renew };
}

/** A call that may run, with its input in REST's names. */
interface Called {
  readonly contextValue: Exchange & OperationContext;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Makes answers of all pages of a list, one item on a line. An answer without its last line was broken off. Each page is
 * read when the client has read the one before, so nobody waits for the client and the memory is that of a page.
 */
export function createStreams(executing: Executing) {
  let open = 0;
  /** @throws {GatewayError} `SERVICE_UNAVAILABLE` if there are too many; what the first page throws */
  return async (route: BoundRoute, field: string, called: Called): Promise<Answer> => {
    if ('limit' in called.variables)
      throw badUserInput([
        { path: ['limit'], message: 'Must be omitted in this format.', type: 'value_error' },
      ]);
    if (open >= mostStreams) throw tooMany();
    open += 1;
    const stream: Stream = { count: 0 };
    Object.assign(called.contextValue, { stream });
    try {
      const making = await readerOf(executing, route, field, called);
      const first = await making.read();
      const body = linesOf(first, stream);
      const end = async () => {
        open -= 1;
        await close(stream, making.renew);
      };
      const rest = { next: follow(first, making, stream), end };
      return { status: 200, headers: { 'content-type': linesType }, body, rest };
    } catch (error) {
      open -= 1;
      throw error;
    }
  };
}
