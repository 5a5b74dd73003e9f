import { z } from 'zod';
import { ensureAccount } from '../accounts/own-account.ts';
import { audited } from '../operations/audited.ts';
import type { OperationContext } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
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

/** The input of {@link rotateWebhookSecret}. */
export const RotateWebhookSecretInput = WebhookEndpointInput.extend({
  graceSeconds: z
    .int()
    .min(0, 'Must be at least 0 seconds.')
    .max(longestGrace, `Must be at most ${longestGrace} seconds.`)
    .nullish(),
});

/**
 * Gives a webhook endpoint that an operator added a new secret. During the grace, each message has signatures by the
 * new secret and by the earlier ones.
 * @returns the endpoint with its new secret; no other operation ever shows the secret
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`; `CONFLICT` for a configured or removed endpoint
 */
export async function rotateWebhookSecret(
  context: OperationContext,
  input: z.input<typeof RotateWebhookSecretInput>,
): Promise<NewWebhookEndpoint> {
  const { endpointId: id, graceSeconds } = parseInput(RotateWebhookSecretInput, input);
  const grace = graceSeconds ?? usualGrace;
  const secret = createWebhookSecret();
  return audited(context, async (inner) => {
    const { db, services } = inner;
    const operatorId = await ensureAccount(inner);
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
    inner.events('webhook-secret-rotated', { accountId: operatorId, operatorId, endpointId: id }, changes);
    return { ...(await readEndpoint(db, id)), secret };
  });
}
