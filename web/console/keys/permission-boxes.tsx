import { useState } from 'preact/compat';
import { useLanguage } from '../ui/host.ts';
import { groupOf, type OfferedPermission } from './offer-permissions.ts';

/** From this number of boxes on, a field filters them. */
const many = 20;

interface PermissionBoxesProps {
  readonly boxes: readonly OfferedPermission[];
  readonly ticked: ReadonlySet<string>;
  readonly onChange: (ticked: ReadonlySet<string>) => void;
  /** Whether the choice was refused. */
  readonly isRefused: boolean;
}

/** Boxes for permissions, in groups. */
export function PermissionBoxes({ boxes, ticked, onChange, isRefused }: PermissionBoxesProps) {
  const { text } = useLanguage();
  const [filter, setFilter] = useState('');
  const shown = boxes.filter(({ permission }) => permission.includes(filter.trim().toLowerCase()));
  const groups = Map.groupBy(shown, ({ permission }) => groupOf(permission));
  const first = shown.find(({ isOpen }) => isOpen)?.permission;
  const tick = (permissions: readonly string[], isTicked: boolean) => {
    const next = new Set(ticked);
    for (const permission of permissions) isTicked ? next.add(permission) : next.delete(permission);
    onChange(next);
  };
  return (
    <>
      {boxes.length > many && (
        <input
          type="search"
          aria-label={text('keys.permissions-filter')}
          placeholder={text('keys.permissions-filter-of', { count: boxes.length })}
          autoComplete="off"
          spellcheck={false}
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
      )}
      {boxes.length > 0 && shown.length === 0 && <p className="hint">{text('keys.permissions-no-match')}</p>}
      <div className="groups">
        {[...groups].map(([group, each]) => (
          <fieldset key={group}>
            <GroupLegend name={group} permissions={each} ticked={ticked} onTick={tick} />
            {each.map(({ permission, note, isOpen }) => (
              <label key={permission} className={isOpen ? undefined : 'off'}>
                <input
                  type="checkbox"
                  checked={ticked.has(permission)}
                  disabled={!isOpen}
                  aria-invalid={isRefused && permission === first ? true : undefined}
                  onInput={({ currentTarget }) => tick([permission], currentTarget.checked)}
                />
                <span>
                  <PermissionName permission={permission} /> {note && <small className="hint">{note}</small>}
                </span>
              </label>
            ))}
          </fieldset>
        ))}
      </div>
    </>
  );
}

/** `All of documents` for `documents.*`. */
function PermissionName({ permission }: Pick<OfferedPermission, 'permission'>) {
  const { text } = useLanguage();
  if (!permission.endsWith('.*')) return <code>{permission}</code>;
  return <>{text('keys.permissions-all-of', { group: permission.slice(0, -2) })}</>;
}

interface GroupLegendProps {
  readonly name: string;
  readonly permissions: readonly OfferedPermission[];
  readonly ticked: ReadonlySet<string>;
  readonly onTick: (permissions: readonly string[], isTicked: boolean) => void;
}

/** The name of a group; if it has several permissions, with a box that ticks all that are open. */
function GroupLegend({ name, permissions, ticked, onTick }: GroupLegendProps) {
  if (name === '') return null;
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const open = permissions.filter(({ isOpen }) => isOpen).map(({ permission }) => permission);
  if (open.length < 2) return <legend>{title}</legend>;
  const count = open.filter((permission) => ticked.has(permission)).length;
  return (
    <legend>
      <label>
        <input
          type="checkbox"
          checked={count === open.length}
          indeterminate={count > 0 && count < open.length}
          onInput={({ currentTarget }) => onTick(open, currentTarget.checked)}
        />
        {title}
      </label>
    </legend>
  );
}
