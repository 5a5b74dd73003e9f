import type { ResultOf, VariablesOf } from 'gql.tada';
import { invalid } from '../api/problem.ts';
import type { automationSettingsQuery, updateAutomationSettingsMutation } from './documents.ts';

/** The settings as they are stored. */
export type Settings = ResultOf<typeof automationSettingsQuery>['automationSettings'];

/** The settings in the form; undefined if the person did not touch them. */
export interface SettingsDraft {
  readonly isEnabled?: boolean | null;
  /** The text that was typed. */
  readonly sessionDuration?: string;
}

/** The length that was typed; null if empty. Only numbers may reach the service: JSON would send others as null. */
function readDuration(text: string): number | null {
  if (text.trim() === '') return null;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return seconds;
  throw invalid('sessionDuration', 'Must be a number of seconds, such as 3600.');
}

/**
 * What the draft changes. Settings that stay the same are left out, so that they are not overwritten.
 * @throws {Problem} if the length is not a number
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
