import { invalidInput } from './refusal.ts';

/** A change of settings: a member that is left out is kept, null clears it. */
export interface SettingsInput {
  readonly isEnabled?: boolean | null | undefined;
  /** Seconds. */
  readonly sessionDuration?: number | null | undefined;
}

/**
 * Checks a session's duration.
 * @throws {Refusal} 422
 */
export function checkSessionDuration(value: unknown): void {
  if (value === undefined || value === null) return;
  if (!Number.isInteger(value)) throw invalidInput('Must be an integer.');
  if (Number(value) < 60) throw invalidInput('Must be at least 60 seconds.');
  if (Number(value) > 86_400) throw invalidInput('Must be at most 86400 seconds.');
}

/**
 * Checks the body of a PUT by hand.
 * @throws {Refusal} 422
 */
export function parseSettings(body: unknown): SettingsInput {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidInput('The body must be a JSON object.');
  const { is_enabled: isEnabled, session_duration: sessionDuration } = body as Record<string, unknown>;
  if (isEnabled !== undefined && isEnabled !== null && typeof isEnabled !== 'boolean')
    throw invalidInput('Must be a boolean.');
  checkSessionDuration(sessionDuration);
  return { isEnabled, sessionDuration: sessionDuration as number | null | undefined };
}
