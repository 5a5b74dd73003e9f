import type { ResultOf, VariablesOf } from 'gql.tada';
import { useState } from 'preact/compat';
import { Button } from '../ui/button.tsx';
import { Fact, Facts } from '../ui/facts.tsx';
import { Form } from '../ui/form.tsx';
import { FormProblem } from '../ui/form-problem.tsx';
import { useHost, useLanguage, useMayChange } from '../ui/host.ts';
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
    const { updateAutomationSettings: automationSettings } = await request(
      updateAutomationSettingsMutation,
      changes,
    );
    queryClient.setQueryData(settingsKey, { automationSettings });
  };
}

interface SettingsProps {
  readonly settings: Settings;
}

/** Edits the automation settings: the switch at once, the session length with a button. */
export function SettingsForm({ settings }: SettingsProps) {
  const { text, rich } = useLanguage();
  const mayChange = useMayChange();
  const [typed, setTyped] = useState<string>();
  return (
    <div className="card settings">
      {mayChange ? <EnabledSetting settings={settings} /> : <SettingsFacts settings={settings} />}
      {/* What is typed stays, should the role be lost meanwhile. */}
      {(mayChange || typed !== undefined) && (
        <DurationSetting settings={settings} typed={typed} onType={setTyped} />
      )}
      <p className="hint">
        {settings.updatedAt === null
          ? text('automation.never-saved')
          : rich('automation.saved', { moment: <Moment at={settings.updatedAt} /> })}
      </p>
    </div>
  );
}

/** The settings, for somebody who may not change them. */
function SettingsFacts({ settings: { isEnabled, sessionDuration } }: SettingsProps) {
  const { text, duration } = useLanguage();
  return (
    <Facts>
      <Fact name={text('automation.label')}>{text(`automation.state-${stateOf(isEnabled)}`)}</Fact>
      <Fact name={text('automation.session-length')}>
        {sessionDuration === null ? text('automation.no-duration') : duration(sessionDuration)}
      </Fact>
    </Facts>
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

interface DurationSettingProps extends SettingsProps {
  /** Undefined while the field has what is stored. */
  readonly typed: string | undefined;
  readonly onType: (typed: string | undefined) => void;
}

/** The session length. What is typed is stored with the button; the person is asked before it is lost. */
function DurationSetting({ settings: { sessionDuration }, typed, onType: setTyped }: DurationSettingProps) {
  const { notify } = useHost();
  const language = useLanguage();
  const { text, duration } = language;
  const store = useStore();
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
