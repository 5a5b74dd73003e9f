import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { ensureOperator } from '../accounts/own-account.ts';
import { isRefusedHost } from '../config/values/addresses.ts';
import { hasValidHost, isSecureUrl, isUrl } from '../config/values/kinds.ts';
import { longestWebhookUrl, mostWebhookEndpoints } from '../config/values/webhook-events.ts';
import { prepareQuery } from '../database/db.ts';
import { WebhookEndpoint } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';
import { changesOf } from '../operations/changes.ts';
import type { OperationSettings } from '../operations/context.ts';
import { atMostLong } from '../operations/input.ts';
import { change } from '../operations/operation.ts';
import { isConfigured, lockEndpoints, storeSecrets } from './sending/stored-endpoints.ts';
import {
  eventList,
  headerChanges,
  headerObject,
  type NewWebhookEndpoint,
  readEndpoint,
} from './webhook-endpoint-record.ts';

const webhookUrl = ({ webhooks: { allowedHosts } }: OperationSettings) =>
  atMostLong(z.string(), longestWebhookUrl)
    .refine((text) => URL.canParse(text) && isSecureUrl(new URL(text)), {
      message: 'Must be an https:// URL (http:// is allowed for this machine only).',
      abort: true,
    })
    .refine(isUrl(hasValidHost), {
      message: 'Must have a valid host: letters, digits, dots and hyphens.',
    })
    .refine(
      isUrl(({ username, password, hash }) => username + password + hash === ''),
      {
        message: 'Must not have a user name, a password or a fragment.',
      },
    )
    .refine((text) => !isRefusedHost(text, allowedHosts), {
      message:
        'Must not have an address or a name of this machine or a private network, unless WEBHOOKS_ALLOW names its host.',
    })
    .meta({ maxLength: longestWebhookUrl, pattern: String.raw`^https?://[^\x00\s]+$` })
    .transform((text) => new URL(text).href)
    // The normalised URL is longer than the input if the input has characters beyond ASCII.
    .refine((url) => url.length <= longestWebhookUrl, {
      message: `Must have at most ${longestWebhookUrl} characters.`,
      params: { type: 'string_too_long' },
    });

type NewEndpoint = Pick<WebhookEndpoint, 'url' | 'events'> & { readonly now: Date };

// Each URL has only one row, which stays if the endpoint is removed.
const insertEndpoint = prepareQuery(WebhookEndpoint, (db, { url, events, now }: NewEndpoint) =>
  db
    .insertInto('webhook_endpoint')
    .values({ url, events, created_at: now })
    .onConflict((conflict) =>
      conflict.column('url').doUpdateSet({
        events,
        created_at: now,
        paused_at: null,
        gone_at: null,
        failing_since: null,
        removed_at: null,
      }),
    )
    .returning('id'),
);

/** Makes a new secret in the form of Standard Webhooks: `whsec_…`. */
export const createWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/**
 * Checks that another endpoint with this URL may be added.
 * @throws {GatewayError} `CONFLICT` if an endpoint has this URL, or there are too many endpoints
 */
function assertRoom(there: readonly WebhookEndpoint[], url: string): void {
  if (there.some((each) => each.url === url))
    throw new GatewayError('CONFLICT', 'A webhook endpoint with this URL exists already');
  if (there.filter((each) => !isConfigured(each)).length >= mostWebhookEndpoints)
    throw new GatewayError(
      'CONFLICT',
      `Operators can add at most ${mostWebhookEndpoints} webhook endpoints: remove one first`,
    );
}

/**
 * Adds a webhook endpoint. It receives the events from now on.
 * @returns the endpoint with its secret; no other operation ever shows the secret
 * @throws {GatewayError} `BAD_USER_INPUT`; `CONFLICT` if an endpoint has this URL, or there are too many endpoints
 */
export const createWebhookEndpoint = change(
  (settings) =>
    z.object({ url: webhookUrl(settings), events: eventList.nullish(), headers: headerObject.nullish() }),
  async (context, { url, ...given }): Promise<NewWebhookEndpoint> => {
    const events = given.events ?? ['*'];
    const headers = given.headers ?? {};
    const secret = createWebhookSecret();
    const { db, services } = context;
    const now = new Date();
    const operatorId = await ensureOperator(context);
    assertRoom(await lockEndpoints(db, now), url);
    const [row] = await insertEndpoint(db, { url, events: JSON.stringify(events), now });
    const id = row?.id ?? 0;
    const place = { id, secretCreatedAt: now, previousSignUntil: null };
    await storeSecrets(db, services.secrets.sealer, place, { secrets: [secret], headers });
    // The audit trail keeps only the host for ever: the URL's path and query may be a secret of the receiver.
    const changes = [
      ...changesOf({ host: null, events: null }, { host: new URL(url).host, events }),
      ...headerChanges({}, headers),
    ];
    context.events(
      'webhook-endpoint-created',
      { accountId: operatorId, operatorId, endpointId: id },
      changes,
    );
    return { ...(await readEndpoint(db, id)), secret };
  },
);
