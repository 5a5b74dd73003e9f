import { useEffect, useState } from 'preact/compat';
import { useHost } from '../ui/host.ts';
import { type ApiKey, stateOf } from './api-key.ts';
import { type KeyChoice, type KeyFilter, type KeyOrder, looksLikeSecret, prefixIn } from './choose-keys.ts';

const filters: readonly (readonly [KeyFilter, string])[] = [
  ['active', 'Active'],
  ['paused', 'Paused'],
  ['expired', 'Expired'],
  ['deactivated', 'Inactive'],
  ['all', 'All'],
];

const orders: readonly (readonly [KeyOrder, string])[] = [
  ['newest', 'Newest first'],
  ['oldest', 'Oldest first'],
  ['name', 'By name'],
  ['used', 'Last used'],
  ['expiry', 'Expires next'],
];

interface KeyToolbarProps {
  readonly choice: KeyChoice;
  readonly keys: readonly ApiKey[];
  readonly now: Date;
  /** How many keys are listed. */
  readonly listed: number;
  /** Whether these are all keys, and no more are being read. */
  readonly isComplete: boolean;
}

const keysOf = (count: number) => `${count} ${count === 1 ? 'key' : 'keys'}`;

/** How long after the last key press the list follows, in milliseconds. */
const pause = 100;

/**
 * The text in the search field. The list follows a little later, so that it never holds up typing. The rest of a
 * secret is dropped at once: the address has what is searched.
 */
function useSearch(searched: string): [text: string, type: (text: string) => void] {
  const { setParams } = useHost();
  const [typed, setTyped] = useState<string>();
  useEffect(() => {
    if (typed === undefined) return;
    const timer = setTimeout(() => {
      setTyped(undefined);
      setParams({ find: typed, pasted: undefined });
    }, pause);
    return () => clearTimeout(timer);
  }, [typed, setParams]);
  const type = (text: string) => {
    if (!looksLikeSecret(text)) return setTyped(text);
    setTyped(undefined);
    setParams({ find: prefixIn(text), pasted: 'yes' });
  };
  return [typed ?? searched, type];
}

/** Chooses which keys are listed, in which order, and shows how many there are. */
export function KeyToolbar({ choice, keys, now, listed, isComplete }: KeyToolbarProps) {
  const { setParams } = useHost();
  const [text, type] = useSearch(choice.search);
  const countOf = (filter: KeyFilter) =>
    filter === 'all' ? keys.length : keys.filter((key) => stateOf(key, now) === filter).length;
  return (
    <search className="toolbar key-toolbar" part="toolbar">
      <input
        type="search"
        aria-label="Search API keys"
        aria-describedby="find-hint"
        placeholder="Name, ID, or a key you found"
        autoComplete="off"
        autoCapitalize="none"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => type(currentTarget.value)}
      />
      <select
        aria-label="Order"
        value={choice.order}
        onChange={({ currentTarget: { value } }) =>
          setParams({ order: value === 'newest' ? undefined : value })
        }
      >
        {orders.map(([order, label]) => (
          <option key={order} value={order}>
            {label}
          </option>
        ))}
      </select>
      <fieldset className="segments">
        <legend className="visually-hidden">Show</legend>
        {filters.map(([filter, label]) => (
          <label key={filter}>
            <input
              type="radio"
              name="filter"
              value={filter}
              checked={filter === choice.filter}
              onChange={() => setParams({ state: filter === 'active' ? undefined : filter })}
            />
            <span>
              {label} {isComplete && <b>{countOf(filter)}</b>}
            </span>
          </label>
        ))}
      </fieldset>
      <p className="hint" id="find-hint">
        A key that you paste stays in this page.
      </p>
      <p className="visually-hidden" role="status">
        {isComplete && (listed === keys.length ? keysOf(listed) : `${listed} of ${keysOf(keys.length)}`)}
      </p>
    </search>
  );
}
