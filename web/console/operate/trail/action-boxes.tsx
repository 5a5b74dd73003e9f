import { useLanguage } from '../../ui/host.ts';
import { actionGroups, nameOfAction } from './trail-actions.ts';
import { mostActions } from './trail-filter.ts';

interface ActionBoxesProps {
  /** The chosen actions; none for all. */
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
}

const known: readonly string[] = actionGroups.flatMap(({ actions }) => actions);

/** Chooses actions. They are folded into one line, which names those that are chosen. */
export function ActionBoxes({ chosen, onChoose }: ActionBoxesProps) {
  const language = useLanguage();
  const { text } = language;
  const names = chosen.map((action) => nameOfAction(language, action)).join(', ');
  // Of another version of the service, from the address.
  const others = chosen.filter((action) => !known.includes(action));
  const groups = [
    ...actionGroups.map(({ name, actions }) => ({ name: text(name), actions })),
    ...(others.length > 0 ? [{ name: text('operate.trail-group-others'), actions: others }] : []),
  ];
  return (
    <details className="fold">
      <summary>
        {chosen.length === 0 ? text('operate.trail-all-actions') : text('operate.trail-actions', { names })}
      </summary>
      <p className="hint">{text('operate.trail-most-actions', { count: mostActions })}</p>
      <div className="groups">
        {groups.map(({ name, actions }) => (
          <fieldset key={name}>
            <legend>{name}</legend>
            {actions.map((action) => (
              <ActionBox key={action} action={action} chosen={chosen} onChoose={onChoose} />
            ))}
          </fieldset>
        ))}
      </div>
    </details>
  );
}

function ActionBox({ action, chosen, onChoose }: ActionBoxesProps & { readonly action: string }) {
  const language = useLanguage();
  const isChosen = chosen.includes(action);
  return (
    <label>
      <input
        type="checkbox"
        name="action"
        value={action}
        checked={isChosen}
        disabled={!isChosen && chosen.length >= mostActions}
        onInput={() => onChoose(isChosen ? chosen.filter((each) => each !== action) : [...chosen, action])}
      />
      {nameOfAction(language, action)}
    </label>
  );
}
