import type { KeyFilter } from './use-api-keys.ts';

const filters: readonly [KeyFilter, string][] = [
  ['all', 'All'],
  ['active', 'Active'],
  ['deactivated', 'Deactivated'],
];

interface KeyFiltersProps {
  readonly filter: KeyFilter;
  readonly onChange: (filter: KeyFilter) => void;
}

/** Chooses which keys are listed. */
export function KeyFilters({ filter, onChange }: KeyFiltersProps) {
  return (
    <fieldset className="segments">
      <legend className="visually-hidden">Show</legend>
      {filters.map(([value, label]) => (
        <label key={value}>
          <input
            type="radio"
            name="filter"
            value={value}
            checked={value === filter}
            onChange={() => onChange(value)}
          />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
