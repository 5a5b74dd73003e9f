import { useCeiling } from '../plan/use-entitlement.ts';
import { ListField } from './list-field.tsx';

interface PermissionsFieldProps {
  /** The key's current permissions. */
  readonly permissions: readonly string[];
  readonly issue: string | undefined;
}

const isWildcard = (permission: string): boolean => permission.endsWith('*');

/** `All of documents` for `documents.*`. */
const nameOf = (permission: string): string => {
  if (permission === '*') return 'Everything';
  return permission.endsWith('.*') ? `All of ${permission.slice(0, -2)}` : permission;
};

/** Asks for the permissions of a key. If the plan limits them, the field offers what it allows. */
export function PermissionsField({ permissions, issue }: PermissionsFieldProps) {
  const ceiling = useCeiling();
  if (ceiling === null) return <TypedPermissions label="Permissions" list={permissions} issue={issue} />;
  const others = permissions.filter((permission) => !ceiling.includes(permission));
  // Besides the listed permissions, a person may type a part of a wildcard.
  const canType = others.length > 0 || ceiling.some(isWildcard);
  return (
    <>
      <fieldset className="boxes" aria-describedby="permissions-hint">
        <legend>Permissions</legend>
        {ceiling.map((permission) => (
          <label key={permission}>
            <input
              type="checkbox"
              name="permissions"
              value={permission}
              defaultChecked={permissions.includes(permission)}
            />
            <span className={isWildcard(permission) ? undefined : 'mono'}>{nameOf(permission)}</span>
          </label>
        ))}
        <p className="hint" id="permissions-hint">
          {ceiling.length === 0
            ? 'Your plan allows no permissions.'
            : 'The permissions that your plan allows.'}
        </p>
      </fieldset>
      {canType ? (
        <TypedPermissions label="Other permissions" list={others} issue={issue} within />
      ) : (
        issue && (
          <p className="issue" role="alert">
            {issue}
          </p>
        )
      )}
    </>
  );
}

interface TypedPermissionsProps {
  readonly label: string;
  readonly list: readonly string[];
  readonly issue: string | undefined;
  /** Whether the plan must allow them. */
  readonly within?: boolean;
}

const TypedPermissions = ({ within = false, ...field }: TypedPermissionsProps) => (
  <ListField
    {...field}
    name="permissions"
    hint={
      <>
        One per line: <code>documents.read</code>, or <code>documents.*</code> for all that begin like this.{' '}
        {within ? 'Your plan must allow each of them.' : 'Your provider defines the permissions.'}
      </>
    }
  />
);
