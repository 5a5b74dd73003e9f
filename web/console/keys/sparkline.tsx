import type { Language } from '../../messages/language.ts';
import { useLanguage } from '../ui/host.ts';
import type { DailyUse } from './use-daily-use.ts';

/** In pixels: the width of a bar with the gap after it, and the greatest heights above and below the line. */
const step = 7;
const bar = 5;
const above = 20;
const below = 10;

const heightOf = (count: number, most: number, room: number): number =>
  count === 0 ? 0 : Math.max(Math.round((count / most) * room), 2);

/** Bars as one path: it is drawn for each key of the list. */
const bars = (counts: readonly number[], room: number, isBelow: boolean): string => {
  const most = Math.max(...counts);
  return counts
    .map((count, index) => {
      const height = heightOf(count, most, room);
      return height === 0
        ? ''
        : `M${index * step} ${isBelow ? above + 2 : above - height}h${bar}v${height}h-${bar}z`;
    })
    .join('');
};

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** `1% refused`; at least `<1%` if any was. */
const shareOf = ({ text }: Language, refused: number, all: number): string => {
  const share = refused / all;
  return share < 0.01 ? text('keys.few-refused') : text('keys.refused', { share });
};

const hatching = 'refused-hatching';

/** The pattern of refused requests: they differ by more than their colour and place. It must be once on the page. */
export const Hatching = () => (
  <svg width={0} height={0} className="defs" aria-hidden="true">
    <pattern id={hatching} width={4} height={4} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect className="hatching" width={2.4} height={4} />
    </pattern>
  </svg>
);

/** The requests of the last days: allowed above the line, refused below it, on a scale of its own. */
export function Sparkline({ use: { allowed, refused } }: { readonly use: DailyUse }) {
  const language = useLanguage();
  const { text, number, compact } = language;
  const [passed, failed] = [sum(allowed), sum(refused)];
  const all = passed + failed;
  return (
    <>
      <svg aria-hidden="true" viewBox={`0 0 ${allowed.length * step} ${above + below + 2}`}>
        <path className="allowed" d={bars(allowed, above, false)} />
        <path className="refused" fill={`url(#${hatching})`} d={bars(refused, below, true)} />
        <path className="base" d={`M0 ${above + 1}h${allowed.length * step}`} />
      </svg>
      <span>
        {all === 0 ? (
          text('keys.not-used')
        ) : (
          <span title={number(all)}>{all < 100_000 ? number(all) : compact(all)}</span>
        )}
        {all > 0 && (
          <small className={failed * 10 >= all && failed > 0 ? 'bad' : undefined}>
            {failed === 0 ? text('keys.none-refused') : shareOf(language, failed, all)}
          </small>
        )}
      </span>
    </>
  );
}
