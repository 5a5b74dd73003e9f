import type { Logger } from 'pino';

/** What happened in the business, for the log: every event and its members stand here. */
export interface BusinessEvents {
  'account-created': { accountId: number };
  'api-key-deactivated': { accountId: number; keyId: number };
  'automation-settings-updated': { accountId: number };
}

/** Writes business events to the log of the request that they belong to. */
export type EventLog = <Name extends keyof BusinessEvents>(name: Name, event: BusinessEvents[Name]) => void;

/** An event log of one request: each event under its own name, with the request's id. */
export const createEventLog =
  (logger: Logger, requestId: string): EventLog =>
  (name, event) => {
    const line: object = { requestId, event: name, ...event };
    logger.info(line, `${name}`);
  };
