import type { ReactNode } from 'preact/compat';
import type { Language } from '../../../messages/language.ts';
import { invalid, type Problem } from '../../api/problem.ts';
import { Field } from '../../ui/field.tsx';
import { useLanguage } from '../../ui/host.ts';

const code = (content: ReactNode) => <code>{content}</code>;

interface EventsFieldProps {
  readonly events: readonly string[];
  readonly problem: Problem | undefined;
}

/** The events that an endpoint gets. */
export function EventsField({ events, problem }: EventsFieldProps) {
  const { text, rich } = useLanguage();
  return (
    <Field
      label={text('operate.events-field')}
      hint={rich('operate.events-hint', { code })}
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
}

interface HeadersFieldProps {
  readonly problem: Problem | undefined;
}

/** Headers of each message. */
export function HeadersField({ problem }: HeadersFieldProps) {
  const { text, rich } = useLanguage();
  return (
    <Field
      label={text('operate.headers-field')}
      hint={rich('operate.headers-hint', { code })}
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
}

const linesOf = (form: FormData, field: string): string[] =>
  `${form.get(field)}`
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/**
 * The events that were typed.
 * @throws {Problem} if none was typed
 */
export function readEvents({ text }: Language, form: FormData): string[] {
  const events = linesOf(form, 'events').flatMap((line) => line.split(/[\s,]+/));
  if (events.length === 0) throw invalid('events', text('operate.no-events'));
  return [...new Set(events)];
}

/**
 * The headers that were typed, by name.
 * @throws {Problem} if a line is no header, or a name is there twice
 */
export function readHeaders({ text }: Language, form: FormData): Record<string, string> {
  const headers = new Map<string, string>();
  for (const [index, line] of linesOf(form, 'headers').entries()) {
    // The message does not repeat the line: it may be a secret.
    const [, name = '', value = ''] = /^([^\s:]+)\s*:\s*(.+)$/.exec(line) ?? [];
    if (name === '') throw invalid('headers', text('operate.no-header', { line: index + 1 }));
    if (headers.has(name)) throw invalid('headers', text('operate.same-header', { line: index + 1 }));
    headers.set(name, value);
  }
  return Object.fromEntries(headers);
}
