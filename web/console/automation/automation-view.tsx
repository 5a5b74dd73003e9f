import { useQuery } from '@tanstack/preact-query';
import { useHost } from '../ui/host.ts';
import { QueryContent } from '../ui/query-content.tsx';
import { View } from '../ui/view.tsx';
import { automationSettingsQuery } from './documents.ts';
import { SettingsForm, settingsKey } from './settings-form.tsx';

/** The person's automation settings. */
export function AutomationView() {
  const { request } = useHost();
  const settings = useQuery({
    queryKey: settingsKey,
    queryFn: ({ signal }) => request(automationSettingsQuery, {}, { signal }),
  });
  return (
    <View title="Automation" lead="Let programs work on your behalf, and set how long each session lasts.">
      <QueryContent query={settings} what="the automation settings">
        {({ automationSettings }) => <SettingsForm settings={automationSettings} />}
      </QueryContent>
    </View>
  );
}
