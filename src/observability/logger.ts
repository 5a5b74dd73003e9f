import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogOutput } from './log-output.ts';

/** The message of the line that each request has. */
export const requestMessage = 'request';

/**
 * The process's log: lines for a reader in a terminal, one JSON object a line otherwise.
 * @param level the least that is written
 */
export async function createLogger(level: string, output: LogOutput): Promise<Logger> {
  const logger = process.stdout.isTTY
    ? pino({ level, base: null }, await readable(output))
    : pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, output);
  output.onRecovery = (dropped) => logger.warn({ dropped }, 'the log could not be written: lines are lost');
  return logger;
}

/** An output for a reader, one line for each request. What makes its lines is loaded for a terminal alone. */
async function readable(output: LogOutput): Promise<DestinationStream & Pick<LogOutput, 'flushSync'>> {
  const { prettyFactory } = await import('pino-pretty');
  const translateTime = 'HH:MM:ss.l';
  const toRequest = prettyFactory({ translateTime, hideObject: true, messageFormat: requestText });
  // An error takes up more lines than one all the same.
  const toText = prettyFactory({ translateTime, singleLine: true, ignore: 'event,requestId,traceId,spanId' });
  const write = (text: string): void => {
    const line: LogLine = JSON.parse(text);
    output.write((line['msg'] === requestMessage ? toRequest : toText)(line));
  };
  return { write, flushSync: () => output.flushSync() };
}

type LogLine = Readonly<Record<string, unknown>>;

/** A request in as few words as tell it: `GET /api/v1/auth/keys 200 in 1.2 ms, apiKeys`. */
function requestText(line: LogLine): string {
  const { method, route = 'an unknown path', status, milliseconds, operation, reason } = line;
  const { clientAddress, requestId } = line;
  const isFailure = typeof status === 'number' && status >= 500;
  const details = [operation, reason, clientAddress && `from ${clientAddress}`, isFailure && requestId];
  return [`${method} ${route} ${status} in ${milliseconds} ms`, ...details.filter(Boolean)].join(', ');
}
