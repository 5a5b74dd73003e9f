import type { WebhookConfig } from '../config/config.ts';
import { type Db, prepareQuery } from '../database/db.ts';
import { WebhookClock, WebhookEndpoint } from '../database/tables.ts';
import type { Binding, Sealed, Sealer } from '../secrets/sealer.ts';
import { lockClock } from './outbox.ts';

/** An endpoint that events are sent to, of the configuration or added by an operator. */
export interface Endpoint {
  readonly id: number;
  readonly url: string;
  /** All of these sign. */
  readonly secrets: readonly string[];
  readonly isPaused: boolean;
}

const insertClock = prepareQuery(WebhookClock, (db, { now }: { now: Date }) =>
  db
    .insertInto('webhook_clock')
    .values({ id: 1, expiries_told_until: now })
    .onConflict((conflict) => conflict.column('id').doNothing()),
);

const setClock = prepareQuery(WebhookClock, (db, { now }: { now: Date }) =>
  db.updateTable('webhook_clock').set({ expiries_told_until: now }),
);

const selectThere = prepareQuery(WebhookEndpoint, (db, _: object) =>
  db.selectFrom('webhook_endpoint').selectAll().where('removed_at', 'is', null).orderBy('id'),
);

interface Configured {
  readonly url: string;
  readonly events: string;
  readonly now: Date;
}

const upsertEndpoint = prepareQuery(WebhookEndpoint, (db, { url, events, now }: Configured) =>
  db
    .insertInto('webhook_endpoint')
    .values({ url, events, created_at: now })
    .onConflict((conflict) =>
      conflict.column('url').doUpdateSet({
        events,
        removed_at: null,
        sealed_secrets: null,
        encryption_version: null,
        secret_created_at: null,
        previous_sign_until: null,
      }),
    ),
);

const removeEndpoint = prepareQuery(WebhookEndpoint, (db, { id, now }: { id: number; now: Date }) =>
  db.updateTable('webhook_endpoint').set({ removed_at: now }).where('id', '=', id),
);

/** Whether an endpoint is one of the configuration, and not added by an operator. */
export const isConfigured = ({ secretCreatedAt }: Pick<WebhookEndpoint, 'secretCreatedAt'>): boolean =>
  !secretCreatedAt;

// An UPDATE that changes nothing locks its row on both databases.
const touchEndpoint = prepareQuery(WebhookEndpoint, (db, { id }: Pick<WebhookEndpoint, 'id'>) =>
  db
    .updateTable('webhook_endpoint')
    .set((column) => ({ id: column.ref('id') }))
    .where('id', '=', id)
    .returningAll(),
);

/**
 * Makes all others wait who would change an endpoint.
 * @param db a transaction
 * @returns what is stored of it; undefined: there is none
 */
export async function lockStoredEndpoint(db: Db, id: number): Promise<WebhookEndpoint | undefined> {
  const [found] = await touchEndpoint(db, { id });
  return found as WebhookEndpoint | undefined;
}

/**
 * Makes all others wait who would change which endpoints there are, and gets ready for the first of them.
 * @param db a transaction
 * @returns those that are there
 */
export async function lockEndpoints(db: Db, now: Date): Promise<WebhookEndpoint[]> {
  await insertClock(db, { now });
  await lockClock(db);
  const there = (await selectThere(db, {})) as WebhookEndpoint[];
  // Nobody is told of what expired while there was no endpoint.
  if (there.length === 0) await setClock(db, { now });
  return there;
}

/**
 * Makes the stored endpoints those of the configuration, and those that operators have added: from now on, what happens
 * is noted for these. One that the configuration has no more keeps what waits for it, until that is given up.
 */
export async function agreeOnEndpoints(
  db: Db,
  configured: readonly WebhookConfig[],
  now = new Date(),
): Promise<void> {
  if (configured.length === 0 && !(await selectThere(db, {})).some(isConfigured)) return;
  await db.transaction(async (transaction) => {
    const there = await lockEndpoints(transaction, now);
    const urls = configured.map(({ url }) => url);
    for (const { id } of there.filter((each) => isConfigured(each) && !urls.includes(each.url)))
      await removeEndpoint(transaction, { id, now });
    for (const { url, events } of configured)
      await upsertEndpoint(transaction, { url, events: JSON.stringify(events), now });
  });
}

/** What the secrets of an endpoint are sealed for: they are no account's. */
const bindingOf = (id: number): Binding => ({ purpose: 'webhook-endpoint', accountId: 0, rowId: id });

/** Seals the secrets of an endpoint, the newest first. */
export const sealSecrets = (sealer: Sealer, id: number, secrets: readonly string[]): Promise<Sealed> =>
  sealer.seal(Buffer.from(JSON.stringify(secrets)), bindingOf(id));

/**
 * Opens them.
 * @throws {GatewayError} masked, where they cannot be opened
 */
export async function openSecrets(
  sealer: Sealer,
  { id, sealedSecrets, encryptionVersion }: WebhookEndpoint,
): Promise<string[]> {
  const binding = { ...bindingOf(id), version: encryptionVersion ?? 0 };
  return JSON.parse(Buffer.from(await sealer.open(sealedSecrets ?? '', binding)).toString());
}

/** The secrets of endpoints that were added, by what they are sealed as; undefined: they cannot be opened. */
type Opened = Map<string, readonly string[] | undefined>;

/** Which endpoints there are, read as often as somebody asks: an operator may have changed one on any node. */
export class Endpoints {
  readonly #configured: ReadonlyMap<string, readonly string[]>;
  readonly #sealer: Sealer;
  readonly #onBroken: (id: number, error: unknown) => void;
  /** Of those that were there when it was asked last. */
  #opened: Opened = new Map();

  /** @param onBroken told once why the secrets of an endpoint cannot be opened; nothing is sent to it */
  constructor(
    configured: readonly WebhookConfig[],
    sealer: Sealer,
    onBroken: (id: number, error: unknown) => void,
  ) {
    this.#configured = new Map(configured.map(({ url, secrets }) => [url, secrets]));
    this.#sealer = sealer;
    this.#onBroken = onBroken;
  }

  /** Those that this node can send to. */
  async read(db: Db, now = new Date()): Promise<Endpoint[]> {
    const rows = (await selectThere(db, {})) as WebhookEndpoint[];
    const opened: Opened = new Map();
    const endpoints: Endpoint[] = [];
    for (const row of rows) {
      const secrets = isConfigured(row)
        ? this.#configured.get(row.url)
        : await this.#secretsOf(row, opened, now);
      const { id, url, pausedAt } = row;
      if (secrets) endpoints.push({ id, url, secrets, isPaused: Boolean(pausedAt) });
    }
    this.#opened = opened;
    return endpoints;
  }

  async #secretsOf(row: WebhookEndpoint, opened: Opened, now: Date) {
    const sealed = row.sealedSecrets ?? '';
    const secrets = this.#opened.has(sealed) ? this.#opened.get(sealed) : await this.#open(row);
    opened.set(sealed, secrets);
    const { previousSignUntil } = row;
    return previousSignUntil && previousSignUntil > now ? secrets : secrets?.slice(0, 1);
  }

  async #open(row: WebhookEndpoint): Promise<string[] | undefined> {
    try {
      return await openSecrets(this.#sealer, row);
    } catch (error) {
      this.#onBroken(row.id, error);
      return undefined;
    }
  }
}
