import { sql } from 'kysely';
import type { WebhookConfig } from '../../config/config.ts';
import { type Db, prepareQuery } from '../../database/db.ts';
import { WebhookClock, WebhookEndpoint } from '../../database/tables.ts';
import type { Binding, Sealed, Sealer } from '../../secrets/sealer.ts';
import { lockClock, setClock } from './expiries.ts';

/** What of an endpoint is secret. */
export interface EndpointSecrets {
  /** Each of these secrets signs; the newest comes first. */
  readonly secrets: readonly string[];
  /** Headers that each message has beside those of Standard Webhooks. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A webhook endpoint, from the configuration or from an operator. */
export interface Endpoint extends EndpointSecrets {
  readonly id: number;
  readonly url: string;
  readonly isPaused: boolean;
  /** Whether the last attempt of any node failed, as far as this node knows. */
  readonly isFailing: boolean;
}

/** The most characters of the outcome of an attempt to send something. */
export const longestOutcome = 100;

const insertClock = prepareQuery(WebhookClock, (db, { now }: { now: Date }) =>
  db
    .insertInto('webhook_clock')
    .values({ id: 1, expiries_told_until: now })
    .onConflict((conflict) => conflict.column('id').doNothing()),
);

const selectThere = prepareQuery(WebhookEndpoint, (db, _: object) =>
  db.selectFrom('webhook_endpoint').selectAll().where('removed_at', 'is', null).orderBy('id'),
);

type Configured = Pick<WebhookEndpoint, 'url' | 'events' | 'headerNames'> & { readonly now: Date };

// Only an operator could let an endpoint go on that is gone, and there may be none: a start tries it again. One that was
// removed meanwhile begins anew: what failed before says nothing about today.
const upsertEndpoint = prepareQuery(WebhookEndpoint, (db, { url, events, headerNames, now }: Configured) =>
  db
    .insertInto('webhook_endpoint')
    .values({ url, events, header_names: headerNames, created_at: now })
    .onConflict((conflict) =>
      conflict.column('url').doUpdateSet({
        events,
        header_names: headerNames,
        paused_at: sql`case when webhook_endpoint.gone_at is null then webhook_endpoint.paused_at end`,
        gone_at: null,
        failing_since: sql`case when webhook_endpoint.removed_at is null then webhook_endpoint.failing_since end`,
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

/** Whether an endpoint comes from the configuration, and not from an operator. */
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
 * Locks an endpoint: concurrent changes of it wait.
 * @param db a transaction
 * @returns the stored endpoint; undefined if it does not exist
 */
export async function lockStoredEndpoint(db: Db, id: number): Promise<WebhookEndpoint | undefined> {
  const [found] = await touchEndpoint(db, { id });
  return found as WebhookEndpoint | undefined;
}

/**
 * Locks the list of endpoints: concurrent additions and removals wait. If the list is empty, prepares the clock for
 * the first endpoint.
 * @param db a transaction
 * @returns the current endpoints
 */
export async function lockEndpoints(db: Db, now: Date): Promise<WebhookEndpoint[]> {
  await insertClock(db, { now });
  await lockClock(db);
  const there = (await selectThere(db, {})) as WebhookEndpoint[];
  // Without an endpoint, the expiry of a key causes no event, so the clock starts now.
  if (there.length === 0) await setClock(db, { until: now });
  return there;
}

/**
 * Updates the stored endpoints to the configured ones and those that operators added. From now on, these receive the
 * events. An endpoint that is no longer configured keeps its waiting deliveries until they are given up.
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
    for (const { url, events, headers } of configured)
      await upsertEndpoint(transaction, {
        url,
        events: JSON.stringify(events),
        headerNames: headerNamesOf(headers),
        now,
      });
  });
}

/** The names of headers, as the database has them. */
function headerNamesOf(headers: EndpointSecrets['headers']): string | null {
  const names = Object.keys(headers);
  return names.length > 0 ? JSON.stringify(names) : null;
}

/**
 * Pauses an endpoint whose receiver is gone for good.
 * @returns its id; nothing if it was paused or removed before
 */
export const pauseGone = prepareQuery(WebhookEndpoint, (db, { id, now }: { id: number; now: Date }) =>
  db
    .updateTable('webhook_endpoint')
    .set({ paused_at: now, gone_at: now })
    .where('id', '=', id)
    .where('paused_at', 'is', null)
    .where('removed_at', 'is', null)
    .returning('id'),
);

/** Records since when the attempts at an endpoint fail, unless that is known. */
export const noteFailing = prepareQuery(WebhookEndpoint, (db, { id, now }: { id: number; now: Date }) =>
  db
    .updateTable('webhook_endpoint')
    .set({ failing_since: now })
    .where('id', '=', id)
    .where('failing_since', 'is', null),
);

/** Records that the attempts at an endpoint succeed again. */
export const clearFailing = prepareQuery(WebhookEndpoint, (db, { id }: Pick<WebhookEndpoint, 'id'>) =>
  db.updateTable('webhook_endpoint').set({ failing_since: null }).where('id', '=', id),
);

/** The binding of an endpoint's sealed secrets; they belong to no account. */
const bindingOf = (id: number): Binding => ({ purpose: 'webhook-endpoint', accountId: 0, rowId: id });

/** Seals the secrets and the headers of an endpoint. */
export const sealSecrets = (sealer: Sealer, id: number, secrets: EndpointSecrets): Promise<Sealed> =>
  sealer.seal(Buffer.from(JSON.stringify(secrets)), bindingOf(id));

/** The row of an endpoint that an operator added, with what it tells of the secrets. */
type Place = Pick<WebhookEndpoint, 'id' | 'secretCreatedAt' | 'previousSignUntil'>;

type Sealable = Place & Sealed & Pick<WebhookEndpoint, 'headerNames'>;

const updateSecrets = prepareQuery(
  WebhookEndpoint,
  (db, { id, secretCreatedAt, previousSignUntil, headerNames, jwe, version }: Sealable) =>
    db
      .updateTable('webhook_endpoint')
      .set({
        header_names: headerNames,
        sealed_secrets: jwe,
        encryption_version: version,
        secret_created_at: secretCreatedAt,
        previous_sign_until: previousSignUntil,
      })
      .where('id', '=', id),
);

/** Stores the secrets and the headers of an endpoint in its row, which must exist: the sealed value contains its id. */
export async function storeSecrets(
  db: Db,
  sealer: Sealer,
  place: Place,
  secrets: EndpointSecrets,
): Promise<void> {
  const sealed = await sealSecrets(sealer, place.id, secrets);
  await updateSecrets(db, { ...place, ...sealed, headerNames: headerNamesOf(secrets.headers) });
}

/**
 * Opens the sealed secrets and headers of an endpoint.
 * @throws {GatewayError} masked, if the secrets cannot be opened
 */
export async function openSecrets(
  sealer: Sealer,
  { id, sealedSecrets, encryptionVersion }: WebhookEndpoint,
): Promise<EndpointSecrets> {
  const binding = { ...bindingOf(id), version: encryptionVersion ?? 0 };
  const opened = JSON.parse(Buffer.from(await sealer.open(sealedSecrets ?? '', binding)).toString());
  // Those of an endpoint that never had headers are an array of secrets.
  return Array.isArray(opened) ? { secrets: opened, headers: {} } : opened;
}

/** The secrets that sign at a time, and the headers. */
export const signing = (
  { secrets, headers }: EndpointSecrets,
  { previousSignUntil }: Pick<WebhookEndpoint, 'previousSignUntil'>,
  now: Date,
): EndpointSecrets => ({
  secrets: previousSignUntil && previousSignUntil > now ? secrets : secrets.slice(0, 1),
  headers,
});

/**
 * Makes a reader of the endpoints to which this node can send events. It reads them anew at each call, because an
 * operator may have changed one on any node.
 * @param onBroken called once for an endpoint whose secrets cannot be opened; the service sends nothing to it
 */
export function createEndpointReader(
  configured: readonly WebhookConfig[],
  sealer: Sealer,
  onBroken: (id: number, error: unknown) => void,
) {
  const ofConfiguration = new Map(configured.map((each) => [each.url, each]));
  /** The secrets that the last call opened, by their sealed form; undefined: they cannot be opened. */
  let known = new Map<string, EndpointSecrets | undefined>();
  const secretsOf = async (row: WebhookEndpoint, opened: typeof known, now: Date) => {
    const sealed = row.sealedSecrets ?? '';
    const secrets = known.has(sealed)
      ? known.get(sealed)
      : await openSecrets(sealer, row).catch((error: unknown) => void onBroken(row.id, error));
    opened.set(sealed, secrets);
    return secrets && signing(secrets, row, now);
  };

  return async (db: Db, now = new Date()): Promise<Endpoint[]> => {
    const opened: typeof known = new Map();
    const endpoints: Endpoint[] = [];
    for (const row of (await selectThere(db, {})) as WebhookEndpoint[]) {
      const { id, url, pausedAt, failingSince } = row;
      const found = isConfigured(row) ? ofConfiguration.get(url) : await secretsOf(row, opened, now);
      if (!found) continue;
      const { secrets, headers } = found;
      const state = { isPaused: Boolean(pausedAt), isFailing: Boolean(failingSince) };
      endpoints.push({ id, url, secrets, headers, ...state });
    }
    known = opened;
    return endpoints;
  };
}
