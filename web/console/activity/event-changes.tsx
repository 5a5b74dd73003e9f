import { type ChangeWords, describeChanges } from './change-words.ts';
import type { AuditEvent } from './name-events.ts';

/** How many names a line has room for. */
const named = 6;

/** The changes of an event, one per line, with the new value and the old. */
export function EventChanges({ event }: { readonly event: AuditEvent }) {
  const changes = describeChanges(event);
  if (changes.length === 0) return null;
  return (
    <ul className="changes">
      {changes.map((change) => (
        <li key={change.label}>
          <ChangeLine change={change} />
        </li>
      ))}
    </ul>
  );
}

function ChangeLine({ change }: { readonly change: ChangeWords }) {
  const { label } = change;
  if ('to' in change)
    return (
      <>
        {label}: <bdi>{change.to}</bdi>
        {change.from !== undefined && (
          <span className="was">
            {' '}
            (was <bdi>{change.from}</bdi>)
          </span>
        )}
      </>
    );
  const { added, removed, isNew } = change;
  if (added.length + removed.length === 0) return `${label}: order changed`;
  const names = [
    added.length > 0 && <Names key="added" names={added} done={isNew ? '' : 'added'} />,
    removed.length > 0 && <Names key="removed" names={removed} done="removed" />,
  ];
  if (added.length + removed.length <= named)
    return (
      <>
        {label}: {names[0]}
        {names[0] && names[1] && '; '}
        {names[1]}
      </>
    );
  const counts = [
    added.length > 0 && `${added.length}${isNew ? '' : ' added'}`,
    removed.length > 0 && `${removed.length} removed`,
  ];
  return (
    <details className="fold">
      <summary>{`${label}: ${counts.filter(Boolean).join(', ')}`}</summary>
      <p>{names[0]}</p>
      <p>{names[1]}</p>
    </details>
  );
}

interface NamesProps {
  readonly names: readonly string[];
  /** `added` or `removed`; empty for a new key. */
  readonly done: string;
}

const Names = ({ names, done }: NamesProps) => (
  <>
    {names.map((name, index) => (
      <span key={name}>
        {index > 0 && ', '}
        <code>{name}</code>
      </span>
    ))}{' '}
    {done}
  </>
);
