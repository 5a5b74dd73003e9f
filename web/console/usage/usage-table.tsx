import { inDigits, inWords, nameOfPeriod, type Span, type UsagePoint } from './usage-points.ts';

interface UsageTableProps {
  readonly points: readonly UsagePoint[];
  readonly span: Span;
  /** The reasons that occurred. */
  readonly reasons: readonly string[];
}

/** The numbers of a chart, newest first, without the hours or days that have none. */
export function UsageTable({ points, span, reasons }: UsageTableProps) {
  const used = points.filter(({ valid, refused }) => valid + refused > 0).toReversed();
  return (
    <details className="fold usage-table">
      <summary>Show as a table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls */}
      <section className="scrolls" aria-label="Table of verifications" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Valid</th>
              {reasons.map((reason) => (
                <th key={reason} scope="col">
                  Refused: {inWords(reason)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {used.map(({ at, valid, reasons: counted }) => (
              <tr key={at.getTime()}>
                <th scope="row">{nameOfPeriod(at, span)}</th>
                <td>{inDigits(valid)}</td>
                {reasons.map((reason) => (
                  <td key={reason}>{inDigits(counted.get(reason) ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
