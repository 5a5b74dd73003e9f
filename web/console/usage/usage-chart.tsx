import { scaleBand, scaleLinear } from 'd3-scale';
import { type PointerEvent, useId, useState } from 'preact/compat';
import { describePoint, inDigits, nameOfPeriod, type Span, spans, type UsagePoint } from './usage-points.ts';

interface UsageChartProps {
  readonly points: readonly UsagePoint[];
  readonly span: Span;
  /** The content of the chart, in words. */
  readonly summary: string;
}

/** In pixels: the height of the bars, the space above them for the topmost number, and the line of times below. */
const height = 180;
const top = 10;
const bottom = 26;

/** The least height of a bar, so that 1 of 100,000 can still be seen. */
const leastBar = 2;

const short = new Intl.NumberFormat('en-GB', { notation: 'compact' });

/** Verifications as bars: the hatched part on top was refused. A slider reads the bars one by one. */
export function UsageChart({ points, span, summary }: UsageChartProps) {
  const [chosen, choose] = useState(points.findLastIndex(({ valid, refused }) => valid + refused > 0));
  const hatching = useId();
  const most = Math.max(...points.map(({ valid, refused }) => valid + refused));
  const y = scaleLinear([0, most], [height, 0]).nice(4);
  const x = scaleBand([...points.keys()], [0, 100]).paddingInner(points.length > 50 ? 0.1 : 0.25);
  const marks = y.ticks(4).filter(Number.isInteger);
  const point = points[chosen];
  const said = point ? `${nameOfPeriod(point.at, span)}: ${describePoint(point)}` : '';
  const follow = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const index = Math.floor(((clientX - left) / width) * points.length);
    choose(Math.min(Math.max(index, 0), points.length - 1));
  };
  return (
    <figure className="usage-chart">
      <Marks marks={marks.map((mark) => [mark, top + y(mark)] as const)} />
      <svg
        className="plot"
        height={height + top + bottom}
        role="img"
        aria-label={`Chart. ${summary}`}
        onPointerMove={follow}
        onPointerDown={follow}
      >
        <Hatching id={hatching} />
        {marks.map((mark) => (
          <line key={mark} className="mark" x1="0" x2="100%" y1={top + y(mark)} y2={top + y(mark)} />
        ))}
        <Chosen index={chosen} count={points.length} />
        {points.map(({ at, valid, refused }, index) => (
          <Bar
            key={at.getTime()}
            place={{ x: `${x(index)}%`, width: `${x.bandwidth()}%` }}
            valid={barOf(valid, y)}
            refused={barOf(refused, y)}
            hatching={hatching}
          />
        ))}
        <Times points={points} span={span} />
      </svg>
      <label className="reader">
        <span className="visually-hidden">{spans[span].by === 'DAY' ? 'Day' : 'Hour'}</span>
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
        <Legend hatching={hatching} points={points} />
      </figcaption>
    </figure>
  );
}

/** The numbers beside the bars, each with its position. */
const Marks = ({ marks }: { readonly marks: readonly (readonly [number: number, y: number])[] }) => (
  <svg className="marks" height={height + top + bottom} aria-hidden="true">
    {marks.map(([number, y]) => (
      <text key={number} x="100%" y={y} dy="0.32em" textAnchor="end">
        {short.format(number)}
      </text>
    ))}
  </svg>
);

/** How high a bar is, in pixels. */
const barOf = (count: number, y: (count: number) => number): number =>
  count === 0 ? 0 : Math.max(height - y(count), leastBar);

const Chosen = ({ index, count }: { readonly index: number; readonly count: number }) => (
  <rect
    className="chosen"
    x={`${(index / count) * 100}%`}
    width={`${100 / count}%`}
    y={top}
    height={height}
  />
);

interface BarProps {
  /** Its position and its width. */
  readonly place: { readonly x: string; readonly width: string };
  /** In pixels. */
  readonly valid: number;
  readonly refused: number;
  readonly hatching: string;
}

const Bar = ({ place, valid, refused, hatching }: BarProps) => (
  <>
    {valid > 0 && <rect className="valid" {...place} y={top + height - valid} height={valid} />}
    {refused > 0 && (
      <rect fill={`url(#${hatching})`} {...place} y={top + height - valid - refused} height={refused} />
    )}
  </>
);

/** Refused verifications differ from valid ones by more than their colour. */
const Hatching = ({ id }: { readonly id: string }) => (
  <pattern id={id} width={6} height={6} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <rect className="refused-ground" width={6} height={6} />
    <rect className="refused-line" width={3} height={6} />
  </pattern>
);

const Legend = ({
  hatching,
  points,
}: {
  readonly hatching: string;
  readonly points: readonly UsagePoint[];
}) => {
  const sum = (part: 'valid' | 'refused') =>
    inDigits(points.reduce((total, point) => total + point[part], 0));
  return (
    <ul className="legend">
      <li>
        <svg width={14} height={14} aria-hidden="true">
          <rect className="valid" width={14} height={14} />
        </svg>
        Valid {sum('valid')}
      </li>
      <li>
        <svg width={14} height={14} aria-hidden="true">
          <rect fill={`url(#${hatching})`} width={14} height={14} />
        </svg>
        Refused {sum('refused')}
      </li>
    </ul>
  );
};

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'short' });
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Which times are written below the bars, and how. */
const times: Readonly<Record<Span, (at: Date, index: number) => string | false>> = {
  '24h': (at) => at.getHours() % 6 === 0 && clock.format(at),
  '7d': (at) => at.getHours() === 0 && weekday.format(at),
  '30d': (at, index) => index % 7 === 1 && date.format(at),
};

const Times = ({ points, span }: Pick<UsageChartProps, 'points' | 'span'>) =>
  points.map(({ at }, index) => {
    const text = times[span](at, index);
    // There is no room for the first and the last.
    const share = ((index + (span === '30d' ? 0.5 : 0)) / points.length) * 100;
    if (text === false || share < 3 || share > 96) return null;
    return (
      <text key={at.getTime()} x={`${share}%`} y={top + height + 18} textAnchor="middle">
        {text}
      </text>
    );
  });
