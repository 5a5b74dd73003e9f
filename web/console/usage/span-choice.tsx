import { type Span, spans } from './usage-points.ts';

interface SpanChoiceProps {
  readonly span: Span;
  readonly onChange: (span: Span) => void;
}

/** Chooses the time range of the counts. */
export const SpanChoice = ({ span, onChange }: SpanChoiceProps) => (
  <fieldset className="segments">
    <legend className="visually-hidden">Time range</legend>
    {(Object.keys(spans) as Span[]).map((each) => (
      <label key={each}>
        <input
          type="radio"
          name="span"
          value={each}
          checked={each === span}
          onChange={() => onChange(each)}
        />
        <span>{spans[each].name}</span>
      </label>
    ))}
  </fieldset>
);
