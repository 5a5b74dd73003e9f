import type { Language } from '../../../messages/language.ts';
import { urlOf } from '../../../shared/place.ts';
import { Problem } from '../../api/problem.ts';
import { readRefusal } from '../../api/read-answer.ts';
import { asPerson } from '../../session/as-person.ts';
import { type TrailFilter, toQuery } from './trail-filter.ts';

/** Newline-delimited JSON: one event on a line. */
const type = 'application/x-ndjson';

/** More characters than the last line has. */
const longestEnd = 1_000;

const newline = 10;

/** Whether a text ends with the line that follows all events: `{"cursor":"…"}`. */
function isWhole(end: string): boolean {
  const [, line = ''] = /([^\n]*)\n$/.exec(end) ?? [];
  try {
    const { cursor, ...rest } = Object(JSON.parse(line));
    return (typeof cursor === 'string' || cursor === null) && Object.keys(rest).length === 0;
  } catch {
    return false;
  }
}

interface Downloading {
  readonly signal: AbortSignal;
  /** Called with the number of events so far. */
  readonly onCount: (count: number) => void;
}

/** Reads a body to its end, however it ends. */
async function readBody(body: ReadableStream<Uint8Array<ArrayBuffer>>, { signal, onCount }: Downloading) {
  const decoder = new TextDecoder();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let lines = 0;
  let end = '';
  try {
    for await (const part of chunksOf(body)) {
      parts.push(part);
      for (const byte of part) if (byte === newline) lines += 1;
      end = (end + decoder.decode(part, { stream: true })).slice(-longestEnd);
      onCount(lines);
    }
  } catch (error) {
    if (signal.aborted) throw error;
    // The connection broke off.
    return { parts, lines, isComplete: false };
  }
  return { parts, lines, isComplete: isWhole(end) };
}

/** The chunks of a body. Not every browser can iterate over a stream. */
async function* chunksOf(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}

/**
 * Gets all events of a filter, oldest first.
 * @returns the lines as the service sent them, and the number of events
 * @throws {Problem} if the service refuses, or if anything is missing
 */
export async function downloadEvents(language: Language, filter: TrailFilter, downloading: Downloading) {
  const { signal } = downloading;
  const url = urlOf(`api/v1/admin/audit-events?${toQuery(filter)}`);
  const response = await asPerson()((authorization) =>
    fetch(url, { headers: { accept: type, authorization }, signal }),
  ).catch((error: unknown) => {
    if (signal.aborted || error instanceof Problem) throw error;
    throw new Problem('network', language.text('common.unreachable'), { cause: error });
  });
  if (!response.ok || !response.body) throw await readRefusal(language, response);
  const { parts, lines, isComplete } = await readBody(response.body, downloading);
  if (!isComplete) throw new Problem('network', language.text('operate.trail-incomplete', { count: lines }));
  // The last line has the cursor.
  return { file: new Blob(parts, { type }), count: lines - 1 };
}
