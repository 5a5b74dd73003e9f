import { graphql } from '../api/graphql.ts';

/** How automation runs. */
export const automationSettingsQuery = graphql(`
  query AutomationSettings {
    automationSettings {
      isEnabled
      sessionDuration
      updatedAt
    }
  }
`);

/** Changes what is given; null clears it. */
export const updateAutomationSettingsMutation = graphql(`
  mutation UpdateAutomationSettings($isEnabled: Boolean, $sessionDuration: Int) {
    updateAutomationSettings(isEnabled: $isEnabled, sessionDuration: $sessionDuration) {
      isEnabled
      sessionDuration
      updatedAt
    }
  }
`);
