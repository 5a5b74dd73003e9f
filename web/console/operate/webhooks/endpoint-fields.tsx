import { invalid, type Problem } from '../../api/problem.ts';
import { Field } from '../../ui/field.tsx';

interface EventsFieldProps {
  readonly events: readonly string[];
  readonly problem: Problem | undefined;
}

/** The events that an endpoint gets. */
export const EventsField = ({ events, problem }: EventsFieldProps) => (
  <Field
    label="Events"
    hint={
      <>
        One per line: a type such as <code>api_key.created</code>, a group such as <code>api_key.*</code>, or{' '}
        <code>*</code> for all.
      </>
    }
    issue={problem?.issueOf('events')}
  >
    {(control) => (
      <textarea
        {...control}
        name="events"
        className="mono"
        rows={3}
        autoComplete="off"
        autoCapitalize="none"
        spellcheck={false}
        dir="ltr"
        defaultValue={events.join('\n')}
      />
    )}
  </Field>
);

interface HeadersFieldProps {
  readonly problem: Problem | undefined;
}

/** Headers of each message. */
export const HeadersField = ({ problem }: HeadersFieldProps) => (
  <Field
    label="Headers"
    hint={
      <>
        Sent with each message. One per line: <code>Authorization: Bearer …</code>. The values are never shown
        again.
      </>
    }
    issue={problem?.issueOf('headers')}
  >
    {(control) => (
      <textarea
        {...control}
        name="headers"
        className="mono"
        rows={2}
        autoComplete="off"
        autoCapitalize="none"
        spellcheck={false}
        dir="ltr"
      />
    )}
  </Field>
);

const linesOf = (form: FormData, field: string): string[] =>
  `${form.get(field)}`
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/**
 * The events that were typed.
 * @throws {Problem} if none was typed
 */
export function readEvents(form: FormData): string[] {
  const events = linesOf(form, 'events').flatMap((line) => line.split(/[\s,]+/));
  if (events.length === 0) throw invalid('events', 'Name at least one event, or * for all.');
  return [...new Set(events)];
}

/**
 * The headers that were typed, by name.
 * @throws {Problem} if a line is no header, or a name is there twice
 */
export function readHeaders(form: FormData): Record<string, string> {
  const headers = new Map<string, string>();
  for (const [index, line] of linesOf(form, 'headers').entries()) {
    // The message does not repeat the line: it may be a secret.
    const [, name = '', value = ''] = /^([^\s:]+)\s*:\s*(.+)$/.exec(line) ?? [];
    if (name === '') throw invalid('headers', `Line ${index + 1} must have a name, a colon and a value.`);
    if (headers.has(name)) throw invalid('headers', `Line ${index + 1} has the name of an earlier line.`);
    headers.set(name, value);
  }
  return Object.fromEntries(headers);
}
