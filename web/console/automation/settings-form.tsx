import { useState } from 'preact/compat';
import { queryClient } from '../api/query-client.ts';
import { request } from '../api/request.ts';
import { Button } from '../ui/button.tsx';
import { Form } from '../ui/form.tsx';
import { FormProblem } from '../ui/form-problem.tsx';
import { Moment } from '../ui/moment.tsx';
import { notify } from '../ui/notice.tsx';
import { useAction } from '../ui/use-action.ts';
import { updateAutomationSettingsMutation } from './documents.ts';
import { DurationField } from './duration-field.tsx';
import { EnabledField } from './enabled-field.tsx';
import { changesOf, type Settings, type SettingsDraft } from './settings-draft.ts';

/** The key under which the query client keeps the settings. */
export const settingsKey = ['automation-settings'];

/** Edits the automation settings. If they cannot be saved, the form keeps what was typed. */
export function SettingsForm({ settings }: { readonly settings: Settings }) {
  const [draft, setDraft] = useState<SettingsDraft>({});
  const action = useAction();
  const { pending, problem } = action;
  const { isEnabled = settings.isEnabled, sessionDuration = `${settings.sessionDuration ?? ''}` } = draft;
  const save = async () => {
    const changes = changesOf(draft, settings);
    if (Object.keys(changes).length === 0) {
      setDraft({});
      return notify('No changes to save.');
    }
    const { updateAutomationSettings: automationSettings } = await request(
      updateAutomationSettingsMutation,
      changes,
    );
    // The form now shows what the service has stored.
    queryClient.setQueryData(settingsKey, { automationSettings });
    setDraft({});
    notify('Your automation settings were saved.');
  };
  return (
    <>
      <Form id="settings" className="card settings" action={action} onSubmit={save}>
        <EnabledField
          isEnabled={isEnabled}
          issue={problem?.issueOf('isEnabled')}
          onChange={(next) => setDraft({ ...draft, isEnabled: next })}
        />
        <DurationField
          text={sessionDuration}
          issue={problem?.issueOf('sessionDuration')}
          onChange={(next) => setDraft({ ...draft, sessionDuration: next })}
        />
        <div className="form-end">
          <Button look="primary" type="submit" pending={pending}>
            Save changes
          </Button>
          <p className="hint">
            <Saved settings={settings} isTouched={Object.keys(draft).length > 0} />
          </p>
        </div>
      </Form>
      <FormProblem problem={problem} shown={['isEnabled', 'sessionDuration']} />
    </>
  );
}

interface SavedProps {
  readonly settings: Settings;
  /** Whether the person touched the form. */
  readonly isTouched: boolean;
}

/** Whether what the form shows is what is stored. */
function Saved({ settings: { updatedAt }, isTouched }: SavedProps) {
  if (isTouched) return 'Not saved yet.';
  if (updatedAt === null) return 'Never saved.';
  return (
    <>
      Saved <Moment at={updatedAt} />
    </>
  );
}
