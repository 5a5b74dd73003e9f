import { z } from 'zod';
import { trimmed } from '../operations/input.ts';
import { change } from '../operations/operation.ts';
import { type ApiKeyRecord, lockApiKey } from './own-api-key.ts';
import { pause } from './pause.ts';

/** The most characters of an owner's reason for a pause. */
export const longestPauseReason = 200;

/**
 * Pauses one of the caller's API keys: it is refused until somebody resumes it. A paused key stays as it is.
 * @throws {GatewayError} `BAD_USER_INPUT`; `CONFLICT` for an inactive or expired key; `NOT_FOUND`, the same for an unknown
 *   key and another person's key
 */
export const pauseApiKey = change(
  z.object({ keyId: z.int32(), reason: trimmed(z.string(), longestPauseReason).nullish() }),
  async (context, { keyId, reason = null }): Promise<ApiKeyRecord> =>
    pause(context, await lockApiKey(context, keyId), { by: 'owner', reason }),
);
