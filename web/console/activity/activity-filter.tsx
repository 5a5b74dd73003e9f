import { nameOf } from '../keys/api-key.ts';
import { useHost } from '../ui/host.ts';

/** The actions to choose from, in words. */
const actions: Readonly<Record<string, string>> = {
  'api-key-created': 'Keys created',
  'api-key-updated': 'Keys changed',
  'api-key-renamed': 'Keys renamed',
  'api-key-rotated': 'Keys rotated',
  'api-key-secret-ended': 'Secrets ended',
  'api-key-paused': 'Keys paused',
  'api-key-resumed': 'Keys resumed',
  'api-key-deactivated': 'Keys deactivated',
  'api-key-leaked': 'Keys found in public',
  'default-api-key-set': 'Default key set',
  'private-key-registered': 'Private key registered',
  'private-key-removed': 'Private key removed',
  'automation-settings-updated': 'Automation changed',
};

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
  const keys = new Map(names);
  // A key that is not fetched yet, or is gone.
  if (keyId !== null && !keys.has(keyId)) keys.set(keyId, null);
  return (
    <div className="toolbar">
      <select
        aria-label="API key"
        value={keyId ?? ''}
        onChange={({ currentTarget }) => setParams({ key: currentTarget.value })}
      >
        <option value="">All keys and settings</option>
        {[...keys].map(([id, name]) => (
          <option key={id} value={id}>
            {nameOf({ id, name })}
          </option>
        ))}
      </select>
      <select
        aria-label="Kind of change"
        value={action ?? ''}
        onChange={({ currentTarget }) => setParams({ action: currentTarget.value })}
      >
        <option value="">All changes</option>
        {Object.entries(actions).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}
