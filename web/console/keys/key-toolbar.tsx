import { type KeyChoice, type KeyFilter, type KeyOrder, looksLikeSecret, prefixIn } from './choose-keys.ts';

const filters: readonly (readonly [KeyFilter, string])[] = [
  ['all', 'All'],
  ['active', 'Active'],
  ['expired', 'Expired'],
  ['deactivated', 'Inactive'],
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
  readonly onChange: (choice: KeyChoice) => void;
  /** How many keys are listed, and how many there are. */
  readonly counts: { readonly listed: number; readonly all: number };
}

const keysOf = (count: number) => `${count} ${count === 1 ? 'key' : 'keys'}`;

/** Chooses which keys are listed, in which order, and shows how many there are. */
export const KeyToolbar = ({ choice, onChange, counts: { listed, all } }: KeyToolbarProps) => (
  <search className="toolbar">
    <input
      type="search"
      aria-label="Search API keys"
      placeholder="Name, description or ID, or a key you found"
      autoComplete="off"
      spellcheck={false}
      value={choice.search}
      onInput={({ currentTarget: { value } }) => {
        // The rest of a secret is dropped at once.
        const isPasted = looksLikeSecret(value);
        onChange({ ...choice, search: isPasted ? prefixIn(value) : value, isPasted });
      }}
    />
    <select
      aria-label="Order"
      value={choice.order}
      onChange={({ currentTarget }) => onChange({ ...choice, order: currentTarget.value as KeyOrder })}
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
            onChange={() => onChange({ ...choice, filter })}
          />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
    <p className="hint count" role="status">
      {listed === all ? keysOf(all) : `${listed} of ${keysOf(all)}`}
    </p>
  </search>
);
