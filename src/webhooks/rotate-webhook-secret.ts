import { z } from 'zod';
import { ensureOperator } from '../accounts/own-account.ts';
import { within } from '../operations/input.ts';
import { change } from '../operations/operation.ts';
import { createWebhookSecret } from './create-webhook-endpoint.ts';
import { openSecrets, signing, storeSecrets } from './sending/stored-endpoints.ts';
import { WebhookEndpointInput } from './webhook-endpoint.ts';
import {
  assertAdded,
  assertThere,
  lockEndpoint,
  type NewWebhookEndpoint,
  readEndpoint,
} from './webhook-endpoint-record.ts';

/** The time for which the earlier secrets still sign, in seconds: the default and the maximum. */
const usualGrace = 86_400;
const longestGrace = 604_800;

/**
 * The most secrets that sign. If the answer with a new secret got lost, the next rotation must not end the secret in
 * use.
 */
const mostSecrets = 4;

/**
 * Gives a webhook endpoint that an operator added a new secret. During the grace, each message has signatures by the
 * new secret and by the earlier ones.
 * @returns the endpoint with its new secret; no other operation ever shows the secret
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`; `CONFLICT` for a configured or removed endpoint
 */
export const rotateWebhookSecret = change(
  WebhookEndpointInput.extend({
    graceSeconds: within(z.int(), 0, longestGrace, 'seconds').nullish(),
  }),
  async (context, { endpointId: id, graceSeconds }): Promise<NewWebhookEndpoint> => {
    const grace = graceSeconds ?? usualGrace;
    const secret = createWebhookSecret();
    const { db, services } = context;
    const operatorId = await ensureOperator(context);
    const endpoint = await lockEndpoint(db, id);
    assertThere(endpoint);
    assertAdded(endpoint);
    const now = new Date();
    const { sealer } = services.secrets;
    const before = signing(await openSecrets(sealer, endpoint), endpoint, now);
    const kept = grace === 0 ? [] : before.secrets;
    const secrets = [secret, ...kept].slice(0, mostSecrets);
    const graceEnd = grace === 0 ? null : new Date(now.getTime() + grace * 1000);
    const place = { id, secretCreatedAt: now, previousSignUntil: graceEnd };
    await storeSecrets(db, sealer, place, { ...before, secrets });
    const changes = [
      { field: 'previous_sign_until', from: endpoint.previousSignUntil ?? null, to: graceEnd },
    ];
    context.events('webhook-secret-rotated', { accountId: operatorId, operatorId, endpointId: id }, changes);
    return { ...(await readEndpoint(db, id)), secret };
  },
);
