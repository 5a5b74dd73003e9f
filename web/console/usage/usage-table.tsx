import { useLanguage } from '../ui/host.ts';
import { inWords, nameOfPeriod, type Span, type UsagePoint } from './usage-points.ts';

interface UsageTableProps {
  readonly points: readonly UsagePoint[];
  readonly span: Span;
  /** The reasons that occurred. */
  readonly reasons: readonly string[];
}

/** The numbers of a chart, newest first, without the hours or days that have none. */
export function UsageTable({ points, span, reasons }: UsageTableProps) {
  const language = useLanguage();
  const { text, number } = language;
  const used = points.filter(({ valid, refused }) => valid + refused > 0).toReversed();
  return (
    <details className="fold usage-table">
      <summary>{text('usage.as-table')}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls */}
      <section className="scrolls" aria-label={text('usage.table')} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{text('usage.when')}</th>
              <th scope="col">{text('usage.valid')}</th>
              {reasons.map((reason) => (
                <th key={reason} scope="col">
                  {text('usage.refused-for', { reason: inWords(language, reason) })}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {used.map(({ at, valid, reasons: counted }) => (
              <tr key={at.getTime()}>
                <th scope="row">{nameOfPeriod(language, at, span)}</th>
                <td>{number(valid)}</td>
                {reasons.map((reason) => (
                  <td key={reason}>{number(counted.get(reason) ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
