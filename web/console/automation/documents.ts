import { graphql } from '../api/graphql.ts';

/** The automation settings. */
export const automationSettingsQuery = graphql(`
  query AutomationSettings {
    automationSettings {
      isEnabled
      sessionDuration
      updatedAt
    }
  }
`);

/** Changes the settings that are given; null clears one. */
export const updateAutomationSettingsMutation = graphql(`
  mutation UpdateAutomationSettings($isEnabled: Boolean, $sessionDuration: Int) {
    updateAutomationSettings(isEnabled: $isEnabled, sessionDuration: $sessionDuration) {
      isEnabled
      sessionDuration
      updatedAt
    }
  }
`);
