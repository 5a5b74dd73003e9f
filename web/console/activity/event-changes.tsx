import type { ReactNode } from 'preact/compat';
import { useLanguage } from '../ui/host.ts';
import { type ChangeWords, describeChanges } from './change-words.ts';
import type { AuditEvent } from './name-events.ts';

/** How many names a line has room for. */
const named = 6;

/** The changes of an event, one per line, with the new value and the old. */
export function EventChanges({ event }: { readonly event: AuditEvent }) {
  const changes = describeChanges(useLanguage(), event);
  if (changes.length === 0) return null;
  return (
    <ul className="changes">
      {changes.map((change) => (
        <li key={change.label}>{'to' in change ? <ValueLine {...change} /> : <ListLine {...change} />}</li>
      ))}
    </ul>
  );
}

/** A change of a value. */
function ValueLine({ label, to, from }: Extract<ChangeWords, { readonly to: string }>) {
  const { rich } = useLanguage();
  const values = { label, to: <bdi>{to}</bdi> };
  if (from === undefined) return rich('activity.change', values);
  const was = (content: ReactNode) => <span className="was">{content}</span>;
  return rich('activity.change-from', { ...values, from: <bdi>{from}</bdi>, was });
}

type ListChange = Extract<ChangeWords, { readonly isNew: boolean }>;

/** Which items a line tells of. For a new key, that they were added says nothing. */
function sideOf({ added, removed, isNew }: ListChange) {
  if (removed.length === 0) return isNew ? 'new' : 'added';
  return added.length === 0 ? 'removed' : 'both';
}

/** A change of a list: what was added and removed. */
function ListLine(change: ListChange) {
  const { text, rich } = useLanguage();
  const { label, added, removed } = change;
  const side = sideOf(change);
  if (added.length + removed.length === 0) return text('activity.order-changed', { label });
  const names = { added: <Names names={added} />, removed: <Names names={removed} /> };
  if (added.length + removed.length <= named) return rich(`activity.names-${side}`, { label, ...names });
  return (
    <details className="fold">
      <summary>
        {text(`activity.count-${side}`, { label, added: added.length, removed: removed.length })}
      </summary>
      <p>
        {side === 'new' ? names.added : added.length > 0 && rich('activity.added', { names: names.added })}
      </p>
      <p>{removed.length > 0 && rich('activity.removed', { names: names.removed })}</p>
    </details>
  );
}

const Names = ({ names }: { readonly names: readonly string[] }) =>
  names.map((name, index) => (
    <span key={name}>
      {index > 0 && ', '}
      <code>{name}</code>
    </span>
  ));
