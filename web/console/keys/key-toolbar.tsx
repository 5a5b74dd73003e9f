import { useEffect, useState } from 'preact/compat';
import { useHost, useLanguage } from '../ui/host.ts';
import { type ApiKey, stateOf } from './api-key.ts';
import { type KeyChoice, type KeyFilter, type KeyOrder, looksLikeSecret, prefixIn } from './choose-keys.ts';

const filters: readonly KeyFilter[] = ['active', 'paused', 'expired', 'deactivated', 'all'];

const orders: readonly KeyOrder[] = ['newest', 'oldest', 'name', 'used', 'expiry'];

interface KeyToolbarProps {
  readonly choice: KeyChoice;
  readonly keys: readonly ApiKey[];
  readonly now: Date;
  /** How many keys are listed. */
  readonly listed: number;
  /** Whether these are all keys, and no more are being read. */
  readonly isComplete: boolean;
}

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
  const { text, number } = useLanguage();
  const [typed, type] = useSearch(choice.search);
  const countOf = (filter: KeyFilter) =>
    filter === 'all' ? keys.length : keys.filter((key) => stateOf(key, now) === filter).length;
  return (
    <search className="toolbar key-toolbar" part="toolbar">
      <input
        type="search"
        aria-label={text('keys.search')}
        aria-describedby="find-hint"
        placeholder={text('keys.search-for')}
        autoComplete="off"
        autoCapitalize="none"
        spellcheck={false}
        value={typed}
        onInput={({ currentTarget }) => type(currentTarget.value)}
      />
      <select
        aria-label={text('keys.order')}
        value={choice.order}
        onChange={({ currentTarget: { value } }) =>
          setParams({ order: value === 'newest' ? undefined : value })
        }
      >
        {orders.map((order) => (
          <option key={order} value={order}>
            {text(`keys.order-${order}`)}
          </option>
        ))}
      </select>
      <fieldset className="segments">
        <legend className="visually-hidden">{text('keys.filter')}</legend>
        {filters.map((filter) => (
          <label key={filter}>
            <input
              type="radio"
              name="filter"
              value={filter}
              checked={filter === choice.filter}
              onChange={() => setParams({ state: filter === 'active' ? undefined : filter })}
            />
            <span>
              {text(`keys.filter-${filter}`)} {isComplete && <b>{number(countOf(filter))}</b>}
            </span>
          </label>
        ))}
      </fieldset>
      <p className="hint" id="find-hint">
        {text('keys.search-hint')}
      </p>
      <p className="visually-hidden" role="status">
        {isComplete &&
          (listed === keys.length
            ? text('keys.count', { count: listed })
            : text('keys.count-of', { listed, count: keys.length }))}
      </p>
    </search>
  );
}
