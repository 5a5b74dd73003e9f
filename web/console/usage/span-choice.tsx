import { useLanguage } from '../ui/host.ts';
import { type Span, spans } from './usage-points.ts';

interface SpanChoiceProps {
  readonly span: Span;
  readonly onChange: (span: Span) => void;
}

/** Chooses the time range of the counts. */
export function SpanChoice({ span, onChange }: SpanChoiceProps) {
  const { text } = useLanguage();
  return (
    <fieldset className="segments">
      <legend className="visually-hidden">{text('usage.range')}</legend>
      {(Object.keys(spans) as Span[]).map((each) => (
        <label key={each}>
          <input
            type="radio"
            name="span"
            value={each}
            checked={each === span}
            onChange={() => onChange(each)}
          />
          <span>{text(`usage.span-${each}`)}</span>
        </label>
      ))}
    </fieldset>
  );
}
