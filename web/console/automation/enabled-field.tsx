import { useId, useRef } from 'preact/compat';
import { Button } from '../ui/button.tsx';
import { useLanguage } from '../ui/host.ts';

interface EnabledFieldProps {
  readonly isEnabled: boolean | null;
  readonly issue: string | undefined;
  readonly onChange: (isEnabled: boolean | null) => void;
}

/** The state of the switch, as the messages call it. */
export const stateOf = (isEnabled: boolean | null) => {
  if (isEnabled === null) return 'unset';
  return isEnabled ? 'on' : 'off';
};

/** The switch for automation. A switch has only two states, so the text beside it says if it is not set. */
export function EnabledField({ isEnabled, issue, onChange }: EnabledFieldProps) {
  const { text, rich } = useLanguage();
  const id = useId();
  const control = useRef<HTMLInputElement>(null);
  const clear = () => {
    onChange(null);
    // The button that had the focus is gone.
    control.current?.focus();
  };
  return (
    <div className="field">
      <label htmlFor={id}>{text('automation.label')}</label>
      <div className="switch-row">
        <input
          ref={control}
          id={id}
          type="checkbox"
          role="switch"
          aria-checked={isEnabled === true}
          className="switch"
          checked={isEnabled === true}
          aria-describedby={`${id}-state`}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
        <span id={`${id}-state`} className="switch-state">
          {text(`automation.state-${stateOf(isEnabled)}`)}
        </span>
        {isEnabled !== null && (
          <Button look="quiet" onClick={clear}>
            {rich('automation.clear', {
              hidden: (content) => <span className="visually-hidden">{content}</span>,
            })}
          </Button>
        )}
      </div>
      <p className="hint">{text('automation.hint')}</p>
      {issue && <p className="issue">{issue}</p>}
    </div>
  );
}
