import { Suspense } from 'preact/compat';
import { Heading } from '../ui/heading.tsx';
import { later } from '../ui/later.tsx';
import { Loading } from '../ui/loading.tsx';
import {
  describePoint,
  inDigits,
  nameOfPeriod,
  type Span,
  spans,
  totalOf,
  type UsagePoint,
} from './usage-points.ts';
import { UsageTable } from './usage-table.tsx';

// Only somebody who looks at a chart loads it.
const UsageChart = later(async () => (await import('./usage-chart.tsx')).UsageChart);

interface UsageReportProps {
  readonly points: readonly UsagePoint[];
  readonly span: Span;
}

/** How often keys were verified: in a sentence, as a chart, and as a table. */
export function UsageReport({ points, span }: UsageReportProps) {
  const total = totalOf(points);
  const { name, by } = spans[span];
  if (total.valid + total.refused === 0)
    return (
      <div className="empty">
        <Heading level={2}>Not used in the last {name}</Heading>
        <p>Verifications appear here up to 30 seconds late.</p>
      </div>
    );
  const summary = summarise(points, span);
  return (
    <section className="card usage" aria-label="Verifications">
      <p className="usage-summary">{summary}</p>
      <Suspense fallback={<Loading what="chart" />}>
        <UsageChart points={points} span={span} summary={summary} />
      </Suspense>
      {by === 'DAY' && <p className="hint">Days are in UTC.</p>}
      <UsageTable points={points} span={span} reasons={[...total.reasons.keys()]} />
    </section>
  );
}

/** The counts in two sentences. */
function summarise(points: readonly UsagePoint[], span: Span): string {
  const { name, by } = spans[span];
  const total = totalOf(points);
  const busiest = points.reduce((one, other) => (all(other) > all(one) ? other : one));
  const count = all(total) === 1 ? '1 verification' : `${inDigits(all(total))} verifications`;
  const most = `Busiest ${by === 'DAY' ? 'day' : 'hour'}: ${inDigits(all(busiest))}, on ${nameOfPeriod(busiest.at, span)}.`;
  return `${count} in the last ${name}: ${describePoint(total)}. ${most}`;
}

const all = ({ valid, refused }: Pick<UsagePoint, 'valid' | 'refused'>): number => valid + refused;
