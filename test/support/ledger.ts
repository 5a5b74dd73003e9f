import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../src/database/database.ts';
import { Account, ApiKey } from '../../src/database/tables.ts';

/** Somebody who writes, one request at a time, and what they know of it: kept here, outside of the service. */
export interface Writer {
  readonly subject: string;
  /** An access token that is good now. */
  token: string;
  /** Keys that they have not yet begun to deactivate. */
  readonly keys: number[];
  /** The last `session_duration` that was sent, each one more than before, and the last that was acknowledged. */
  readonly settings: { sent: number; acknowledged: number };
  /** How many of their writes were acknowledged. */
  acknowledged: number;
  /** The keys whose deactivation was sent, and those of which it was acknowledged. */
  readonly deactivated: { readonly sent: Set<number>; readonly acknowledged: Set<number> };
}

const firstDuration = 60;

/** Puts people with API keys into an empty database. */
export async function createWriters(
  database: Database,
  issuer: string,
  { people, keysEach }: { people: number; keysEach: number },
): Promise<Writer[]> {
  const em = database.em.fork();
  const writers: Writer[] = [];
  for (let index = 0; index < people; index += 1) {
    const subject = `writer-${index}`;
    const createdAt = new Date();
    const account = (await em.insert(Account, { issuer, subject, createdAt })) as Account['id'];
    const key = { account, keyPrefix: 'sk-a1b2c3', isActive: true, isDefault: false, encryptionVersion: 1 };
    await em.insertMany(
      ApiKey,
      Array.from({ length: keysEach }, () => ({ ...key, createdAt })),
    );
    const rows = await em.find(ApiKey, { account }, { fields: ['id'] });
    writers.push({
      subject,
      token: '',
      keys: rows.map(({ id }) => id),
      settings: { sent: firstDuration - 1, acknowledged: firstDuration - 1 },
      acknowledged: 0,
      deactivated: { sent: new Set(), acknowledged: new Set() },
    });
  }
  return writers;
}

/** Gets every writer a token that is good now; a restarted identity provider knows none of the old ones. */
export async function signIn(
  service: { token(subject: string): Promise<string> },
  writers: readonly Writer[],
): Promise<void> {
  for (const writer of writers) writer.token = await service.token(writer.subject);
}

/** How many writes were acknowledged in all. */
export const acknowledged = (writers: readonly Writer[]): number =>
  writers.reduce((sum, writer) => sum + writer.acknowledged, 0);

/** A query on the database, beside the service. */
export type Query = (sql: string) => Promise<Record<string, unknown>[]>;

/**
 * Compares the ledger with what is stored.
 * @returns a sentence for each write that was acknowledged and is not there, or is there and was never sent
 */
export async function audit(writers: readonly Writer[], query: Query): Promise<string[]> {
  const rows = await query(
    'select subject, session_duration from account left join automation_settings on account_id = account.id',
  );
  const durations = new Map(
    rows.map((row) => [row['subject'], Number(row['session_duration'] ?? firstDuration - 1)]),
  );
  const inactive = await query('select id from api_key where not is_active');
  const inactiveIds = new Set(inactive.map(({ id }) => Number(id)));
  return writers.flatMap(({ subject, settings, deactivated }) => {
    const duration = durations.get(subject) ?? Number.NaN;
    const isStored = duration >= settings.acknowledged && duration <= settings.sent;
    const lost = [...deactivated.acknowledged].filter((id) => !inactiveIds.has(id));
    return [
      ...(isStored ? [] : [`${subject}: ${duration} is not in ${settings.acknowledged}…${settings.sent}`]),
      ...lost.map((id) => `${subject}: the key ${id} is active again`),
    ];
  });
}

/** Whether the database has a deactivation that nobody asked for. */
export async function phantoms(writers: readonly Writer[], query: Query): Promise<number[]> {
  const sent = new Set(writers.flatMap(({ deactivated }) => [...deactivated.sent]));
  const inactive = await query('select id from api_key where not is_active');
  return inactive.map(({ id }) => Number(id)).filter((id) => !sent.has(id));
}

/**
 * Looks for changes without their record, and records without their change: the two are one transaction.
 * @returns a sentence for each
 */
export async function halfDone(writers: readonly Writer[], query: Query): Promise<string[]> {
  const keys = await query('select id from api_key where not is_active order by id');
  const records = await query(
    "select target from audit_event where action = 'api-key-deactivated' order by target",
  );
  const [changed, recorded] = [keys.map(({ id }) => Number(id)), records.map(({ target }) => Number(target))];
  const updates = await query(
    "select subject, count(*) as times from audit_event join account on account.id = account_id where action = 'automation-settings-updated' group by subject",
  );
  const times = new Map(updates.map((row) => [row['subject'], Number(row['times'])]));
  return [
    ...(`${changed}` === `${recorded}` ? [] : [`deactivated: ${changed}; recorded: ${recorded}`]),
    ...writers.flatMap(({ subject, acknowledged, deactivated, settings }) => {
      const recordedTimes = times.get(subject) ?? 0;
      const least = acknowledged - deactivated.acknowledged.size;
      const most = settings.sent - (firstDuration - 1);
      const fits = recordedTimes >= least && recordedTimes <= most;
      return fits ? [] : [`${subject}: ${recordedTimes} updates recorded, not ${least}…${most}`];
    }),
  ];
}

/** How long a request may take before it counts as one that hangs; longer than any timeout of the service. */
const hang = 20_000;

/** Sends a request; undefined where no whole answer came. */
export async function send(
  url: string,
  { token }: Pick<Writer, 'token'>,
  method: string,
  path: string,
  json?: object,
): Promise<Response | undefined> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = json === undefined ? null : JSON.stringify(json);
  const signal = AbortSignal.timeout(hang);
  try {
    const response = await fetch(`${url}/api/v1${path}`, { method, headers, body, signal });
    await response.clone().text();
    return response;
  } catch (error) {
    if (signal.aborted) throw new Error(`${method} ${path} hangs`, { cause: error });
    return undefined;
  }
}

/** Sends a writer's next update of the settings, and notes what comes of it. */
export async function update(url: string, writer: Writer): Promise<Response | undefined> {
  writer.settings.sent += 1;
  const json = { session_duration: writer.settings.sent };
  const response = await send(url, writer, 'PUT', '/automation/settings', json);
  if (response?.status === 200) {
    writer.settings.acknowledged = json.session_duration;
    writer.acknowledged += 1;
  }
  return response;
}

/** Deactivates a writer's next key, and notes what comes of it. */
export async function deactivate(url: string, writer: Writer): Promise<Response | undefined> {
  const id = writer.keys.pop();
  if (id === undefined) return update(url, writer);
  writer.deactivated.sent.add(id);
  const response = await send(url, writer, 'DELETE', `/auth/keys/${id}`);
  if (response?.status === 200) {
    writer.deactivated.acknowledged.add(id);
    writer.acknowledged += 1;
  }
  return response;
}

/** Every answer that is neither 200 nor a 503 that says when to come back. */
const isUnexpected = (response: Response | undefined): boolean =>
  response !== undefined &&
  response.status !== 200 &&
  !(response.status === 503 && /^[1-9]\d*$/.test(response.headers.get('retry-after') ?? ''));

/** Lets all writers write without pause, updates and deactivations by turns, until it is stopped. */
export function startLoad(url: string, writers: readonly Writer[]) {
  let running = true;
  const statuses = new Map<number, number>();
  const unexpected: string[] = [];
  let lastSuccess = performance.now();
  let longestOutage = 0;

  const note = async (response: Response | undefined): Promise<void> => {
    const status = response?.status ?? 0;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (isUnexpected(response)) unexpected.push(`${status} ${await response?.text()}`);
    if (status === 200) {
      longestOutage = Math.max(longestOutage, performance.now() - lastSuccess);
      lastSuccess = performance.now();
    } else {
      // A service that is down refuses at once.
      await delay(10);
    }
  };
  const write = async (writer: Writer): Promise<void> => {
    for (let turn = 0; running; turn += 1) {
      await note(await (turn % 2 === 0 ? update : deactivate)(url, writer));
    }
  };
  const done = Promise.all(writers.map(write));
  // Whoever waits for the load to stop gets its failure; until then it is nobody's.
  done.catch(() => {});

  /** Waits until something holds; no longer than the load goes on. */
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await Promise.race([delay(2), done]);
  };

  return {
    /** How many answers there were of each status; 0: none came. */
    statuses,
    /** Answers that there should be none of. */
    unexpected,
    /** The longest time between two writes that succeeded, in milliseconds. */
    longestOutage: () => Math.round(longestOutage),
    /** Resolves when so many more writes were acknowledged. */
    untilAcknowledged: (more: number): Promise<void> => {
      const enough = acknowledged(writers) + more;
      return until(() => acknowledged(writers) >= enough);
    },
    /** Resolves when so many more writes were answered 503. */
    untilUnavailable: (more: number): Promise<void> => {
      const enough = (statuses.get(503) ?? 0) + more;
      return until(() => (statuses.get(503) ?? 0) >= enough);
    },
    /** Resolves when every writer has had another write acknowledged. */
    untilAllAcknowledged: (): Promise<void> => {
      const before = writers.map((writer) => writer.acknowledged);
      return until(() => writers.every((writer, index) => writer.acknowledged > Number(before[index])));
    },
    /** Stops, and resolves when the last answer has come. */
    stop: async (): Promise<void> => {
      running = false;
      await done;
    },
  };
}

/** The number of rounds of a fault: short in CI, long elsewhere, or as FAULT_ROUNDS says. */
export const rounds = (long: number, short: number): number =>
  Number(process.env['FAULT_ROUNDS'] ?? (process.env['CI'] === 'true' ? short : long));

/** Prints what a fault test found, in a line. */
export const report = (what: string, figures: Record<string, unknown>): void => {
  const list = Object.entries(figures).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  process.stdout.write(`\n${what}: ${list.join(', ')}\n`);
};
