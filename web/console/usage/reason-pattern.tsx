import { useId } from 'preact/compat';

/** In pixels: the side of the square that repeats. */
const side = 6;

const stripes = 'M0 0h3v6H0z';

interface Pattern {
  /** What is drawn in the square. */
  readonly path: string;
  /** In degrees. */
  readonly turn?: number;
  /** The class with the colour: related reasons share one. */
  readonly colour: string;
}

/** Reasons differ by more than their colour. */
const patterns: Readonly<Record<string, Pattern>> = {
  rate_limited: { path: stripes, turn: 45, colour: 'rate' },
  account_rate_limited: { path: stripes, turn: -45, colour: 'rate' },
  quota_exceeded: { path: stripes, colour: 'quota' },
  account_quota_exceeded: { path: 'M0 0h6v2H2v4H0z', colour: 'quota' },
  insufficient_permissions: { path: 'M1 3a2 2 0 0 1 4 0a2 2 0 0 1-4 0', colour: 'permission' },
  address_not_allowed: { path: stripes, turn: 90, colour: 'address' },
  expired: { path: 'M0 0h3v3H0zM3 3h3v3H3z', colour: 'ended' },
  inactive: { path: 'M0 0h6v6H0z', colour: 'ended' },
  paused: { path: 'M1 0h1.5v6H1zM3.5 0H5v6H3.5z', colour: 'ended' },
  rotated: { path: 'M0 3l3-3 3 3v3L3 3 0 6z', colour: 'ended' },
};

/** Of rare reasons, and of any that this page does not know. */
const rare: Pattern = { path: 'M2 2h2v2H2z', colour: 'ended' };

const patternOf = (reason: string): Pattern =>
  (Object.hasOwn(patterns, reason) ? patterns[reason] : undefined) ?? rare;

interface ReasonPatternProps {
  readonly id: string;
  readonly reason: string;
}

/** Defines the pattern of a reason of refusal. */
export function ReasonPattern({ id, reason }: ReasonPatternProps) {
  const { path, turn = 0, colour } = patternOf(reason);
  return (
    <pattern
      id={id}
      width={side}
      height={side}
      patternUnits="userSpaceOnUse"
      patternTransform={`rotate(${turn})`}
    >
      <path className={colour} fill="currentColor" d={path} />
    </pattern>
  );
}

interface ReasonBarProps extends ReasonPatternProps {
  readonly x?: string;
  readonly y?: number;
  readonly width: number | string;
  readonly height: number;
}

/** A rectangle of the colour and with the pattern of a reason. */
export const ReasonBar = ({ id, reason, ...place }: ReasonBarProps) => (
  <rect className={patternOf(reason).colour} fill={`url(#${id})`} stroke="currentColor" {...place} />
);

/** The sign of a reason in a legend or a table. */
export function ReasonSwatch({ reason }: { readonly reason: string }) {
  const id = useId();
  return (
    <svg className="swatch" width={14} height={14} aria-hidden="true">
      <ReasonPattern id={id} reason={reason} />
      <ReasonBar id={id} reason={reason} width={14} height={14} />
    </svg>
  );
}
