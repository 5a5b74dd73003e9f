import { nameOf } from '../keys/api-key.ts';
import { useHost, useLanguage } from '../ui/host.ts';
import { ownActions } from './actions.ts';

interface ActivityFilterProps {
  /** The chosen key; null for all. */
  readonly keyId: number | null;
  /** The chosen action; null for all. */
  readonly action: string | null;
  /** The names of the person's keys, by id. */
  readonly names: ReadonlyMap<number, string | null>;
}

/** Chooses the changes that are listed: of one key, or of one kind. */
export function ActivityFilter({ keyId, action, names }: ActivityFilterProps) {
  const { setParams } = useHost();
  const language = useLanguage();
  const { text } = language;
  const keys = new Map(names);
  // A key that is not fetched yet, or is gone.
  if (keyId !== null && !keys.has(keyId)) keys.set(keyId, null);
  return (
    <div className="toolbar">
      <select
        aria-label={text('activity.filter-key')}
        value={keyId ?? ''}
        onChange={({ currentTarget }) => setParams({ key: currentTarget.value })}
      >
        <option value="">{text('activity.filter-all-keys')}</option>
        {[...keys].map(([id, name]) => (
          <option key={id} value={id}>
            {nameOf(language, { id, name })}
          </option>
        ))}
      </select>
      <select
        aria-label={text('activity.filter-action')}
        value={action ?? ''}
        onChange={({ currentTarget }) => setParams({ action: currentTarget.value })}
      >
        <option value="">{text('activity.filter-all-actions')}</option>
        {ownActions.map((name) => (
          <option key={name} value={name}>
            {text(`activity.filter-${name}`)}
          </option>
        ))}
      </select>
    </div>
  );
}
