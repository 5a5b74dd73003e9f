import { useQuery } from '@tanstack/preact-query';
import { request } from '../api/request.ts';
import { QueryContent } from '../ui/query-content.tsx';
import { View } from '../ui/view.tsx';
import { automationSettingsQuery } from './documents.ts';
import { SettingsForm, settingsKey } from './settings-form.tsx';

/** How the person's automation runs. */
export function AutomationView() {
  const settings = useQuery({
    queryKey: settingsKey,
    queryFn: ({ signal }) => request(automationSettingsQuery, {}, signal),
  });
  return (
    <View
      title="Automation"
      lead="Whether programs may work for you on their own, and for how long at a time."
    >
      <QueryContent query={settings} what="the automation settings">
        {({ automationSettings }) => <SettingsForm settings={automationSettings} />}
      </QueryContent>
    </View>
  );
}
