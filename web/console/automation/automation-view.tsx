import { useQuery } from '@tanstack/preact-query';
import { useHost, useLanguage } from '../ui/host.ts';
import { QueryContent } from '../ui/query-content.tsx';
import { View } from '../ui/view.tsx';
import { automationSettingsQuery } from './documents.ts';
import { SettingsForm, settingsKey } from './settings-form.tsx';

/** The person's automation settings. */
export function AutomationView() {
  const { request } = useHost();
  const { text } = useLanguage();
  const settings = useQuery({
    queryKey: settingsKey,
    queryFn: ({ signal }) => request(automationSettingsQuery, {}, { signal }),
  });
  return (
    <View title={text('automation.title')} lead={text('automation.lead')}>
      <QueryContent query={settings} what={text('automation.loaded')}>
        {({ automationSettings }) => <SettingsForm settings={automationSettings} />}
      </QueryContent>
    </View>
  );
}
