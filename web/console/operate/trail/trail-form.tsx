import { useRef, useState } from 'preact/compat';
import type { Language } from '../../../messages/language.ts';
import { invalid } from '../../api/problem.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { FormProblem } from '../../ui/form-problem.tsx';
import { useLanguage } from '../../ui/host.ts';
import { useAction } from '../../ui/use-action.ts';
import { ActionBoxes } from './action-boxes.tsx';
import {
  actors,
  filterNames,
  numberIn,
  type TrailFilter,
  timeIn,
  toField,
  trailLink,
} from './trail-filter.ts';

/** What the fields show. */
interface Shown {
  readonly user: string;
  readonly key: string;
  readonly actor: string;
  readonly from: string;
  readonly to: string;
  readonly action: readonly string[];
}

const toShown = ({ action, user, key, actor, from, to }: TrailFilter): Shown => ({
  action,
  user: `${user ?? ''}`,
  key: `${key ?? ''}`,
  actor: actor ?? '',
  from: toField(from),
  to: toField(to),
});

/**
 * The filter in the form.
 * @param isUnfinished whether a field has a part of a date: for the form, it is empty
 * @throws {Problem} if a field is not valid
 */
function readForm({ text }: Language, form: FormData, isUnfinished: (name: string) => boolean): TrailFilter {
  const number = (name: 'user' | 'key') => {
    const typed = `${form.get(name)}`.trim();
    if (typed === '') return null;
    const found = numberIn(typed);
    if (found === undefined) throw invalid(name, text('operate.trail-not-number'));
    return found;
  };
  const time = (name: 'from' | 'to') => {
    const typed = `${form.get(name)}`;
    if (typed === '' && !isUnfinished(name)) return null;
    const found = timeIn(typed);
    if (found === undefined) throw invalid(name, text('operate.trail-not-time'));
    return found;
  };
  return {
    user: number('user'),
    key: number('key'),
    actor: actors.find((actor) => actor === form.get('actor')) ?? null,
    from: time('from'),
    to: time('to'),
    action: form.getAll('action').map(String),
  };
}

interface TrailFormProps {
  readonly filter: TrailFilter;
  /** Fetches the events again: the filter is the same. */
  readonly onAgain: () => void;
}

/** What is chosen in the form, until the address has another filter. */
function useChoice(filter: TrailFilter, address: string) {
  const [typed, setTyped] = useState<{ readonly at: string; readonly values: Partial<Shown> }>();
  // Back, for example, leads to another filter.
  if (typed !== undefined && typed.at !== address) setTyped(undefined);
  const values = typed?.at === address ? typed.values : {};
  return {
    shown: { ...toShown(filter), ...values },
    choose: (changed: Partial<Shown>) => setTyped({ at: address, values: { ...values, ...changed } }),
    reset: () => setTyped(undefined),
  };
}

/** Chooses which events are listed. The filter goes to the address, as an entry of its own in the history. */
export function TrailForm({ filter, onAgain }: TrailFormProps) {
  const language = useLanguage();
  const { text } = language;
  const action = useAction();
  const fields = useRef<HTMLDivElement>(null);
  const address = trailLink(filter);
  const { shown, choose, reset } = useChoice(filter, address);
  const isUnfinished = (name: string) =>
    fields.current?.querySelector<HTMLInputElement>(`[name=${name}]`)?.validity.badInput === true;
  const given = { shown, choose, issueOf: (name: string) => action.problem?.issueOf(name) };
  const go = (next: string) => {
    if (next === address) onAgain();
    // A bad value in the address goes too.
    location.hash = next;
  };
  return (
    <search className="card trail-form">
      <Form
        id="trail"
        action={action}
        onSubmit={async (form) => go(trailLink(readForm(language, form, isUnfinished)))}
      >
        <div className="fields" ref={fields}>
          <WhoFields {...given} />
          <TimeFields {...given} />
        </div>
        <ActionBoxes chosen={shown.action} onChoose={(names) => choose({ action: names })} />
        <div className="actions">
          <Button type="submit" look="primary" pending={action.pending}>
            {text('operate.trail-apply')}
          </Button>
          <Button
            onClick={() => {
              reset();
              go(trailLink({}));
            }}
          >
            {text('operate.trail-clear')}
          </Button>
        </div>
      </Form>
      <FormProblem problem={action.problem} shown={filterNames} />
    </search>
  );
}

interface FieldsProps {
  readonly shown: Shown;
  readonly choose: (changed: Partial<Shown>) => void;
  readonly issueOf: (name: string) => string | undefined;
}

/** Whose events, and by whom. */
function WhoFields({ shown, choose, issueOf }: FieldsProps) {
  const { text } = useLanguage();
  return (
    <div className="trail-fields short">
      {(['user', 'key'] as const).map((name) => (
        <Field key={name} label={text(`operate.trail-field-${name}`)} issue={issueOf(name)}>
          {(control) => (
            <input
              {...control}
              name={name}
              inputMode="numeric"
              autoComplete="off"
              placeholder={text('operate.trail-number')}
              value={shown[name]}
              onInput={({ currentTarget: { value } }) => choose({ [name]: value })}
            />
          )}
        </Field>
      ))}
      <Field label={text('operate.trail-field-actor')}>
        {(control) => (
          <select
            {...control}
            name="actor"
            value={shown.actor}
            onInput={({ currentTarget: { value } }) => choose({ actor: value })}
          >
            <option value="">{text('operate.trail-any-actor')}</option>
            {actors.map((actor) => (
              <option key={actor} value={actor}>
                {text(`operate.trail-actor-${actor}`)}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  );
}

/** From when until when. */
function TimeFields({ shown, choose, issueOf }: FieldsProps) {
  const { text } = useLanguage();
  return (
    <div className="trail-fields">
      {(['from', 'to'] as const).map((name) => (
        <Field key={name} label={text(`operate.trail-field-${name}`)} issue={issueOf(name)}>
          {(control) => (
            <input
              {...control}
              name={name}
              type="datetime-local"
              max="9999-12-31T23:59"
              value={shown[name]}
              onInput={({ currentTarget: { value } }) => choose({ [name]: value })}
            />
          )}
        </Field>
      ))}
    </div>
  );
}
