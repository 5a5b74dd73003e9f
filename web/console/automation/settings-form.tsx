import { useState } from 'react';
import { refresh } from '../api/query-client.ts';
import { request } from '../api/request.ts';
import { Button } from '../ui/button.tsx';
import { FormProblem } from '../ui/form-problem.tsx';
import { Moment } from '../ui/moment.tsx';
import { notify } from '../ui/notice.tsx';
import { useAction } from '../ui/use-action.ts';
import { updateAutomationSettingsMutation } from './documents.ts';
import { DurationField } from './duration-field.tsx';
import { EnabledField } from './enabled-field.tsx';
import { changesOf, type Settings, type SettingsDraft } from './settings-draft.ts';

/** Changes how automation runs. What is typed stays where it cannot be saved. */
export function SettingsForm({ settings }: { readonly settings: Settings }) {
  const [draft, setDraft] = useState<SettingsDraft>({});
  const { run, pending, problem } = useAction();
  const { isEnabled = settings.isEnabled, sessionDuration = `${settings.sessionDuration ?? ''}` } = draft;
  const save = async () => {
    const changes = changesOf(draft, settings);
    if (Object.keys(changes).length === 0) return notify('There is nothing to save.');
    await request(updateAutomationSettingsMutation, changes);
    await refresh();
    setDraft({});
    notify('Your automation settings are saved.');
  };
  return (
    <>
      <form
        id="settings"
        className="card settings"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void run(save);
        }}
      >
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
            {settings.updatedAt === null ? (
              'Never saved so far.'
            ) : (
              <>
                Saved <Moment at={settings.updatedAt} />
              </>
            )}
          </p>
        </div>
      </form>
      <FormProblem problem={problem} shown={['isEnabled', 'sessionDuration']} />
    </>
  );
}
