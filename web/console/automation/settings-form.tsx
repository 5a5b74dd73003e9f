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

/** By which the settings are kept once they are read. */
export const settingsKey = ['automation-settings'];

/** Changes how automation runs. What is typed stays where it cannot be saved. */
export function SettingsForm({ settings }: { readonly settings: Settings }) {
  const [draft, setDraft] = useState<SettingsDraft>({});
  const action = useAction();
  const { pending, problem } = action;
  const { isEnabled = settings.isEnabled, sessionDuration = `${settings.sessionDuration ?? ''}` } = draft;
  const save = async () => {
    const changes = changesOf(draft, settings);
    if (Object.keys(changes).length === 0) {
      setDraft({});
      return notify('There is nothing to save.');
    }
    const { updateAutomationSettings: automationSettings } = await request(
      updateAutomationSettingsMutation,
      changes,
    );
    // What the service says that it has stored is what the form shows from now on.
    queryClient.setQueryData(settingsKey, { automationSettings });
    setDraft({});
    notify('Your automation settings are saved.');
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
  /** Whether the form may show something else. */
  readonly isTouched: boolean;
}

/** Whether what the form shows is what is stored. */
function Saved({ settings: { updatedAt }, isTouched }: SavedProps) {
  if (isTouched) return 'Not saved yet.';
  if (updatedAt === null) return 'Never saved so far.';
  return (
    <>
      Saved <Moment at={updatedAt} />
    </>
  );
}
