import type { ResultOf, VariablesOf } from 'gql.tada';
import { useState } from 'preact/compat';
import { getSession } from '../../sign-in/session.ts';
import { Button } from '../ui/button.tsx';
import { Form } from '../ui/form.tsx';
import { FormProblem } from '../ui/form-problem.tsx';
import { useHost, useLanguage } from '../ui/host.ts';
import { Moment } from '../ui/moment.tsx';
import { useUndo } from '../ui/notice.tsx';
import { useAction } from '../ui/use-action.ts';
import { useUnsaved } from '../ui/use-unsaved.ts';
import { type automationSettingsQuery, updateAutomationSettingsMutation } from './documents.ts';
import { DurationField } from './duration-field.tsx';
import { EnabledField, stateOf } from './enabled-field.tsx';
import { readDuration } from './read-duration.ts';

/** The settings as they are stored. */
export type Settings = ResultOf<typeof automationSettingsQuery>['automationSettings'];

/** The key under which the query client keeps the settings. */
export const settingsKey = ['automation-settings'];

/** Stores what is given; the page then shows what the service has stored. */
function useStore() {
  const { request, queryClient } = useHost();
  return async (changes: VariablesOf<typeof updateAutomationSettingsMutation>): Promise<void> => {
    const person = getSession().session?.subject;
    const { updateAutomationSettings: automationSettings } = await request(
      updateAutomationSettingsMutation,
      changes,
    );
    // Unless somebody else has signed in meanwhile.
    if (getSession().session?.subject === person)
      queryClient.setQueryData(settingsKey, { automationSettings });
  };
}

interface SettingsProps {
  readonly settings: Settings;
}

/** Edits the automation settings: the switch at once, the session length with a button. */
export function SettingsForm({ settings }: SettingsProps) {
  const { text, rich } = useLanguage();
  return (
    <div className="card settings">
      <EnabledSetting settings={settings} />
      <DurationSetting settings={settings} />
      <p className="hint">
        {settings.updatedAt === null
          ? text('automation.never-saved')
          : rich('automation.saved', { moment: <Moment at={settings.updatedAt} /> })}
      </p>
    </div>
  );
}

/** The switch. A change is stored at once, and can be undone. */
function EnabledSetting({ settings: { isEnabled } }: SettingsProps) {
  const { text } = useLanguage();
  const store = useStore();
  const { run, pending, problem } = useAction();
  const [wanted, setWanted] = useState(isEnabled);
  const tell = useUndo();
  const change = (next: boolean | null, before?: boolean | null): Promise<void> => {
    setWanted(next);
    return run(async () => {
      await store({ isEnabled: next });
      const undo = before === undefined ? undefined : () => void change(before);
      tell(text(`automation.now-${stateOf(next)}`), undo);
    });
  };
  return (
    <>
      <EnabledField
        isEnabled={pending ? wanted : isEnabled}
        issue={problem?.issueOf('isEnabled')}
        onChange={(next) => void change(next, isEnabled)}
      />
      <FormProblem problem={problem} shown={['isEnabled']} />
    </>
  );
}

/** The session length. What is typed is stored with the button; the person is asked before it is lost. */
function DurationSetting({ settings: { sessionDuration } }: SettingsProps) {
  const { notify } = useHost();
  const language = useLanguage();
  const { text, duration } = language;
  const store = useStore();
  const [typed, setTyped] = useState<string>();
  const action = useAction();
  useUnsaved(typed !== undefined);
  const save = async () => {
    const seconds = readDuration(language, typed ?? '');
    await store({ sessionDuration: seconds });
    setTyped(undefined);
    notify(
      seconds === null
        ? text('automation.session-length-unset')
        : text('automation.session-length-set', { duration: duration(seconds) }),
    );
  };
  return (
    <>
      <Form id="session-length" action={action} onSubmit={save}>
        <DurationField
          text={typed ?? `${sessionDuration ?? ''}`}
          issue={action.problem?.issueOf('sessionDuration')}
          onChange={setTyped}
        />
        {typed !== undefined && (
          <div className="form-end">
            <Button look="primary" type="submit" pending={action.pending}>
              {text('automation.save')}
            </Button>
            <Button look="quiet" onClick={() => setTyped(undefined)}>
              {text('automation.discard')}
            </Button>
          </div>
        )}
      </Form>
      <FormProblem problem={action.problem} shown={['sessionDuration']} />
    </>
  );
}
