import type { ResultOf, VariablesOf } from 'gql.tada';
import { invalid } from '../api/problem.ts';
import type { automationSettingsQuery, updateAutomationSettingsMutation } from './documents.ts';

/** The settings as they are stored. */
export type Settings = ResultOf<typeof automationSettingsQuery>['automationSettings'];

/** The settings as the form holds them: what was not touched is undefined. */
export interface SettingsDraft {
  readonly isEnabled?: boolean | null;
  /** As it was typed. */
  readonly sessionDuration?: string;
}

/** The length that was typed; null for none. What is no number never gets to the service: JSON has only null for it. */
function readDuration(text: string): number | null {
  if (text.trim() === '') return null;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return seconds;
  throw invalid('sessionDuration', 'Must be a number of seconds.');
}

/**
 * What the draft changes: what stays as it is is left out, so that it is not overwritten.
 * @throws {Problem} where the length is no number
 */
export function changesOf(
  { isEnabled, sessionDuration }: SettingsDraft,
  settings: Settings,
): VariablesOf<typeof updateAutomationSettingsMutation> {
  const seconds = sessionDuration === undefined ? undefined : readDuration(sessionDuration);
  return {
    ...(isEnabled !== undefined && isEnabled !== settings.isEnabled && { isEnabled }),
    ...(seconds !== undefined && seconds !== settings.sessionDuration && { sessionDuration: seconds }),
  };
}
