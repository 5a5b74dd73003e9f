import { Suspense } from 'preact/compat';
import type { Language } from '../../messages/language.ts';
import { Heading } from '../ui/heading.tsx';
import { useLanguage } from '../ui/host.ts';
import { later } from '../ui/later.tsx';
import { Loading } from '../ui/loading.tsx';
import { describePoint, nameOfPeriod, type Span, spans, totalOf, type UsagePoint } from './usage-points.ts';
import { UsageTable } from './usage-table.tsx';

// Only somebody who looks at a chart loads it.
const UsageChart = later(async () => (await import('./usage-chart.tsx')).UsageChart);

interface UsageReportProps {
  readonly points: readonly UsagePoint[];
  readonly span: Span;
}

/** How often keys were verified: in a sentence, as a chart, and as a table. */
export function UsageReport({ points, span }: UsageReportProps) {
  const language = useLanguage();
  const { text } = language;
  const total = totalOf(points);
  if (total.valid + total.refused === 0)
    return (
      <div className="empty">
        <Heading level={2}>{text('usage.unused', { span })}</Heading>
        <p>{text('usage.late')}</p>
      </div>
    );
  const summary = summarise(language, points, span);
  return (
    <section className="card usage" aria-label={text('usage.verifications')}>
      <p className="usage-summary">{summary}</p>
      <Suspense fallback={<Loading what={text('usage.chart')} />}>
        <UsageChart points={points} span={span} summary={summary} />
      </Suspense>
      {spans[span].by === 'DAY' && <p className="hint">{text('usage.in-utc')}</p>}
      <UsageTable points={points} span={span} reasons={[...total.reasons.keys()]} />
    </section>
  );
}

/** The counts in two sentences. */
function summarise(language: Language, points: readonly UsagePoint[], span: Span): string {
  const total = totalOf(points);
  const busiest = points.reduce((one, other) => (all(other) > all(one) ? other : one));
  return language.text('usage.summary', {
    count: all(total),
    span,
    results: describePoint(language, total),
    by: spans[span].by,
    most: all(busiest),
    at: nameOfPeriod(language, busiest.at, span),
  });
}

const all = ({ valid, refused }: Pick<UsagePoint, 'valid' | 'refused'>): number => valid + refused;
