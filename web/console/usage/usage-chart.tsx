import { scaleBand, scaleLinear } from 'd3-scale';
import { type PointerEvent, useId, useState } from 'preact/compat';
import type { Language } from '../../messages/language.ts';
import { perLocale } from '../../messages/per-locale.ts';
import { useLanguage } from '../ui/host.ts';
import { ReasonBar, ReasonPattern, ReasonSwatch } from './reason-pattern.tsx';
import {
  describePoint,
  inWords,
  nameOfPeriod,
  type Span,
  sentenceCase,
  spans,
  totalOf,
  type UsagePoint,
} from './usage-points.ts';

interface UsageChartProps {
  readonly points: readonly UsagePoint[];
  readonly span: Span;
  /** The content of the chart, in words. */
  readonly summary: string;
}

/** In pixels: where the line is, the greatest heights of the bars above and below it, and the height of the times. */
const line = 160;
const above = 150;
const below = 60;
const bottom = 26;

/** The least height of a bar, so that 1 of 100,000 can still be seen. */
const leastBar = 2;

/**
 * Verifications as bars: valid ones above the line; refused ones below it by reason, on a scale of their own. A
 * slider reads the bars one by one.
 */
export function UsageChart({ points, span, summary }: UsageChartProps) {
  const [chosen, choose] = useState(points.findLastIndex(({ valid, refused }) => valid + refused > 0));
  const language = useLanguage();
  const { valid, reasons } = totalOf(points);
  const point = points[chosen];
  const said = point ? `${nameOfPeriod(language, point.at, span)}: ${describePoint(language, point)}` : '';
  return (
    <figure className="usage-chart">
      <Plot {...{ points, span, summary, chosen, choose }} reasons={[...reasons.keys()]} />
      <label className="reader">
        <span className="visually-hidden">
          {language.text(spans[span].by === 'DAY' ? 'usage.day' : 'usage.hour')}
        </span>
        <input
          type="range"
          min={0}
          max={points.length - 1}
          value={chosen}
          aria-valuetext={said}
          onInput={({ currentTarget }) => choose(Number(currentTarget.value))}
        />
      </label>
      <figcaption>
        <p className="said" aria-hidden="true">
          {said}
        </p>
        <Legend valid={valid} reasons={reasons} />
      </figcaption>
    </figure>
  );
}

interface PlotProps extends UsageChartProps {
  /** The index of a point. */
  readonly chosen: number;
  readonly choose: (index: number) => void;
  /** The reasons that occurred, in the order of their bars from the line down. */
  readonly reasons: readonly string[];
}

function Plot({ points, span, summary, chosen, choose, reasons }: PlotProps) {
  const { text } = useLanguage();
  const patterns = useId();
  const valid = scaleOf(points, 'valid', above);
  // Rare reasons are drawn higher than they are, and must not reach the times.
  const refused = scaleOf(points, 'refused', below - leastBar * reasons.length);
  const count = points.length;
  const foot = line + (reasons.length > 0 ? below : 0);
  const x = scaleBand([...points.keys()], [0, 100]).paddingInner(count > 50 ? 0.1 : 0.25);
  const follow = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const index = Math.floor(((clientX - left) / width) * count);
    choose(Math.min(Math.max(index, 0), count - 1));
  };
  return (
    <svg
      className="plot"
      height={foot + bottom}
      role="img"
      aria-label={text('usage.chart-of', { summary })}
      onPointerMove={follow}
      onPointerDown={follow}
    >
      {reasons.map((reason) => (
        <ReasonPattern key={reason} id={patterns + reason} reason={reason} />
      ))}
      <rect className="chosen" x={`${(chosen / count) * 100}%`} width={`${100 / count}%`} height={foot} />
      <Marks marks={[0, ...valid.marks]} placeOf={(mark) => line - valid.heightOf(mark)} />
      <g className="below">
        <Marks marks={refused.marks} placeOf={(mark) => line + refused.heightOf(mark)} />
      </g>
      {points.map((point, index) => {
        const place = { x: `${x(index)}%`, width: `${x.bandwidth()}%` };
        const bars = reasons.map(
          (reason) => [reason, refused.heightOf(point.reasons.get(reason) ?? 0)] as const,
        );
        return (
          <g key={point.at.getTime()}>
            <rect
              className="valid"
              {...place}
              y={line - valid.heightOf(point.valid)}
              height={valid.heightOf(point.valid)}
            />
            <Refused place={place} bars={bars} patterns={patterns} />
          </g>
        );
      })}
      <Times points={points} span={span} y={foot + 18} />
    </svg>
  );
}

/**
 * How high a count is drawn, in pixels, and the counts to write beside the bars.
 * @param height the height of the greatest count
 */
function scaleOf(points: readonly UsagePoint[], part: 'valid' | 'refused', height: number) {
  const count = part === 'valid' ? 4 : 2;
  const most = Math.max(...points.map((point) => point[part]));
  const scale = scaleLinear([0, Math.max(most, 1)], [0, height]).nice(count);
  return {
    heightOf: (number: number): number => (number === 0 ? 0 : Math.max(scale(number), leastBar)),
    marks: most === 0 ? [] : scale.ticks(count).filter((mark) => mark > 0 && Number.isInteger(mark)),
  };
}

interface MarksProps {
  readonly marks: readonly number[];
  /** In pixels from the top. */
  readonly placeOf: (mark: number) => number;
}

/** Counts beside the bars, each with a line. */
function Marks({ marks, placeOf }: MarksProps) {
  const { compact } = useLanguage();
  return marks.map((mark) => (
    <g key={mark} className={mark === 0 ? 'mark zero' : 'mark'}>
      <line x2="100%" y1={placeOf(mark)} y2={placeOf(mark)} />
      <text x={-10} y={placeOf(mark)} dy="0.32em" textAnchor="end">
        {compact(mark)}
      </text>
    </g>
  ));
}

interface RefusedProps {
  /** Their position and their width. */
  readonly place: { readonly x: string; readonly width: string };
  /** How high each is, in pixels. */
  readonly bars: readonly (readonly [reason: string, height: number])[];
  /** What the ids of the patterns begin with. */
  readonly patterns: string;
}

/** The bars below the line, one under the other. */
const Refused = ({ place, bars, patterns }: RefusedProps) => {
  let y = line + 1;
  return bars.map(([reason, height]) => {
    const bar = { ...place, y, height };
    y += height;
    return height > 0 && <ReasonBar key={reason} id={patterns + reason} reason={reason} {...bar} />;
  });
};

interface LegendProps {
  readonly valid: number;
  readonly reasons: ReadonlyMap<string, number>;
}

function Legend({ valid, reasons }: LegendProps) {
  const language = useLanguage();
  const { text, number } = language;
  return (
    <>
      <ul className="legend">
        <li>
          <svg width={14} height={14} aria-hidden="true">
            <rect className="valid" width={14} height={14} />
          </svg>
          {text('usage.valid')} {number(valid)}
        </li>
        {[...reasons].map(([reason, count]) => (
          <li key={reason}>
            <ReasonSwatch reason={reason} />
            {sentenceCase(inWords(language, reason))} {number(count)}
          </li>
        ))}
      </ul>
      {reasons.size > 0 && <p className="hint">{text('usage.scales')}</p>}
    </>
  );
}

const formats = perLocale((locale) => ({
  clock: new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' }),
  weekday: new Intl.DateTimeFormat(locale, { weekday: 'short' }),
  date: new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
}));

/** Which times are written below the bars, and how. */
const times: Readonly<Record<Span, (language: Language, at: Date, index: number) => string | false>> = {
  '24h': (language, at) => at.getHours() % 6 === 0 && formats(language).clock.format(at),
  '7d': (language, at) => at.getHours() === 0 && formats(language).weekday.format(at),
  '30d': (language, at, index) => index % 7 === 1 && formats(language).date.format(at),
};

function Times({ points, span, y }: Omit<UsageChartProps, 'summary'> & { readonly y: number }) {
  const language = useLanguage();
  return points.map(({ at }, index) => {
    const text = times[span](language, at, index);
    // There is no room for the first and the last.
    const share = ((index + (span === '30d' ? 0.5 : 0)) / points.length) * 100;
    if (text === false || share < 3 || share > 96) return null;
    return (
      <text key={at.getTime()} x={`${share}%`} y={y} textAnchor="middle">
        {text}
      </text>
    );
  });
}
